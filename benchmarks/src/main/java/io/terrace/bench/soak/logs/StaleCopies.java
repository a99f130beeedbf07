package io.terrace.bench.soak.logs;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Blocks of which stock HDFS has left a file in {@code tmp} that belongs to no replica. Two DataNodes send the same block, as after a
 * pause: the second one ends the first, whose end takes the replica of the second out of the map and leaves its files
 * (BlockReceiver.cleanupBlock, FsDatasetImpl.createTemporary of Hadoop 3.5). Until it starts again the DataNode refuses each copy of
 * the block, as the file "should not be present, but is". Lines may come in any order, and twice: their times count. Not thread-safe.
 */
public final class StaleCopies {
    private static final Pattern REFUSED =
            Pattern.compile("Failed to create temporary file for (blk_\\d+)_\\d+\\. .* should not be present, but is");

    /** When a DataNode last refused a block. */
    private final Map<Copy, String> refused = new HashMap<>();

    private final DataNodeStarts starts = new DataNodeStarts();

    private record Copy(String datanode, String block) {}

    /**
     * Takes a line in, of any daemon.
     *
     * @param daemon its name
     */
    public void take(String daemon, String line) {
        if (line.contains("Failed to create temporary file")) {
            Matcher matcher = REFUSED.matcher(line);
            if (matcher.find()) {
                Copy copy = new Copy(daemon, matcher.group(1));
                DataNodeStarts.time(line).ifPresent(time -> refused.merge(copy, time, DataNodeStarts::later));
            }
        } else {
            starts.take(daemon, line);
        }
    }

    /** Whether a DataNode has refused a copy of the block since it started. */
    public boolean isOf(long block) {
        String name = "blk_" + block;
        return refused.keySet().stream().anyMatch(copy -> copy.block().equals(name) && isThere(copy));
    }

    private boolean isThere(Copy copy) {
        return !starts.hasStartedSince(copy.datanode(), refused.getOrDefault(copy, ""));
    }

    /**
     * Whether a file is one of them, or its meta file.
     *
     * @param datanode on whose volume it is
     */
    public boolean isOne(String datanode, Path file) {
        String name = file.getFileName().toString();
        return file.toString().contains("/tmp/")
                && refused.keySet().stream()
                        .anyMatch(copy -> copy.datanode().equals(datanode)
                                && (name.equals(copy.block()) || name.startsWith(copy.block() + "_"))
                                && isThere(copy));
    }

    /** {@code copies.stale}: blocks, also those of DataNodes that have started again since. */
    public long count() {
        Set<String> blocks = new HashSet<>();
        refused.keySet().forEach(copy -> blocks.add(copy.block()));
        return blocks.size();
    }
}
