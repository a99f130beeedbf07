package io.terrace.bench.soak.logs;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Blocks of which stock HDFS has left a file in {@code tmp} that belongs to no replica. Two DataNodes send the same block, as after a
 * pause: the second one ends the first, whose end takes the replica of the second out of the map and leaves its files
 * (BlockReceiver.cleanupBlock, FsDatasetImpl.createTemporary of Hadoop 3.5). Until it starts again the DataNode refuses each copy of
 * the block, as the file "should not be present, but is". Not thread-safe.
 */
public final class StaleCopies {
    private static final Pattern REFUSED =
            Pattern.compile("Failed to create temporary file for (blk_\\d+)_\\d+\\. .* should not be present, but is");

    private final Set<String> blocks = new HashSet<>();

    /** Takes a line in, of any daemon. */
    public void take(String line) {
        if (line.contains("Failed to create temporary file")) {
            Matcher matcher = REFUSED.matcher(line);
            if (matcher.find()) {
                blocks.add(matcher.group(1));
            }
        }
    }

    public boolean isOf(long block) {
        return blocks.contains("blk_" + block);
    }

    /** Whether a file is one of them, or its meta file. */
    public boolean isOne(Path file) {
        String name = file.getFileName().toString();
        return file.toString().contains("/tmp/")
                && (blocks.contains(name) || blocks.stream().anyMatch(block -> name.startsWith(block + "_")));
    }

    /** {@code copies.stale}: blocks. */
    public long count() {
        return blocks.size();
    }
}
