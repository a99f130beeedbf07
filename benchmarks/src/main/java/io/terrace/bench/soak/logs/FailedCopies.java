package io.terrace.bench.soak.logs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Copies that stock HDFS could not make, and whose files it leaves below {@code tmp/subdir} until the DataNode starts again. Where a
 * file is cut and a snapshot has its last block, what is left of the block is copied to a block with a new number
 * (FsVolumeImpl.updateRURCopyOnTruncate of Hadoop 3.5), which a full volume makes fail. The meta file is made first. A recovery of
 * any other kind keeps the block's number and copies nothing.
 *
 * <p>Two lines tell of such a copy. The DataNode that makes it logs which block it updates, with the stamp that the recovery gives.
 * The DataNode that leads the recovery logs which block could not be made, with that stamp, and at which DataNode.
 *
 * <p>Moves of replicas make their copies at the same place and with the same names: the files of a move of that very block, on that
 * DataNode before it starts again, cannot be told apart. Lines may come in any order, and twice: their times count. Not thread-safe.
 */
public final class FailedCopies {
    /** A DataNode is named by its address for data, as {@code 127.0.0.1:31604} or {@code DatanodeInfoWithStorage[127.0.0.1:31604,}. */
    private static final Pattern FAILED =
            Pattern.compile("Failed to updateBlock \\(newblock=[^,]*:blk_(\\d+)_(\\d+), datanode=[^:]*:(\\d+)[^:]*\\)");

    private static final Pattern UPDATED = Pattern.compile("updateReplica: \\S*:blk_(\\d+)_\\d+.* recoveryId=(\\d+)");

    private static final Pattern NAME = Pattern.compile("blk_(\\d+)(?:_(\\d+)\\.meta)?");

    /** When a recovery last failed at a DataNode. */
    private final Map<Failure, String> failed = new HashMap<>();

    /** The blocks that recoveries updated at a DataNode. */
    private final Map<Update, Long> updated = new HashMap<>();

    private final DataNodeStarts starts = new DataNodeStarts();

    /**
     * A recovery that failed.
     *
     * @param port for data, of the DataNode that failed
     * @param block number of what was to be made
     * @param stamp that no other recovery has
     */
    private record Failure(int port, long block, long stamp) {}

    private record Update(String datanode, long stamp) {}

    /**
     * Takes a line in, of any daemon.
     *
     * @param daemon its name
     */
    public void take(String daemon, String line) {
        if (line.contains("Failed to updateBlock")) {
            Matcher matcher = FAILED.matcher(line);
            if (matcher.find()) {
                Failure failure = new Failure(
                        Integer.parseInt(matcher.group(3)),
                        Long.parseLong(matcher.group(1)),
                        Long.parseLong(matcher.group(2)));
                DataNodeStarts.time(line).ifPresent(time -> failed.merge(failure, time, DataNodeStarts::later));
            }
        } else if (line.contains("updateReplica: ")) {
            Matcher matcher = UPDATED.matcher(line);
            if (matcher.find()) {
                updated.put(new Update(daemon, Long.parseLong(matcher.group(2))), Long.parseLong(matcher.group(1)));
            }
        } else {
            starts.take(daemon, line);
        }
    }

    /**
     * Whether a file is one of them, or its meta file.
     *
     * @param datanode on whose volume it is
     * @param port of that DataNode, for data
     */
    public boolean isOne(String datanode, int port, Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        if (!name.matches()) {
            return false;
        }
        long block = Long.parseLong(name.group(1));
        return failed.entrySet().stream()
                .filter(each -> each.getKey().port() == port && each.getKey().block() == block)
                .filter(each -> !starts.hasStartedSince(datanode, each.getValue()))
                .map(each -> each.getKey().stamp())
                .filter(stamp -> isCopy(updated.get(new Update(datanode, stamp)), block))
                .anyMatch(stamp -> name.group(2) == null
                        ? Files.exists(file.resolveSibling("blk_" + block + "_" + stamp + ".meta"))
                        : name.group(2).equals(Long.toString(stamp)));
    }

    private static boolean isCopy(@Nullable Long updated, long made) {
        return updated != null && updated != made;
    }

    /** {@code copies.failed}: each at one DataNode, also of DataNodes that have started again since. */
    public long count() {
        return failed.keySet().stream().filter(this::isCopy).count();
    }

    private boolean isCopy(Failure failure) {
        return updated.entrySet().stream()
                .anyMatch(each -> each.getKey().stamp() == failure.stamp() && isCopy(each.getValue(), failure.block()));
    }
}
