package io.terrace.bench.soak.logs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Copies that stock HDFS could not make, and whose files it leaves below {@code tmp/subdir} until the DataNode starts again. Where a
 * file is cut and a snapshot has its last block, what is left of the block is copied to a new block
 * (FsVolumeImpl.updateRURCopyOnTruncate of Hadoop 3.5), which a full volume makes fail. The meta file is made first. Moves of
 * replicas make their copies at the same place, so only the block and the stamp tell whose a file is. Not thread-safe.
 */
public final class FailedCopies {
    /** Told by the DataNode that leads the recovery, whichever DataNode could not copy. */
    private static final Pattern FAILED = Pattern.compile("Failed to updateBlock \\(newblock=[^,]*:(blk_\\d+_\\d+), ");

    private static final String META = ".meta";

    /** Such as {@code blk_7_1008}. */
    private final Set<String> failed = new HashSet<>();

    /** Takes a line in, of any daemon. */
    public void take(String line) {
        if (line.contains("Failed to updateBlock")) {
            Matcher matcher = FAILED.matcher(line);
            if (matcher.find()) {
                failed.add(matcher.group(1));
            }
        }
    }

    /** Whether a file is one of them, or its meta file. */
    public boolean isOne(Path file) {
        String name = file.getFileName().toString();
        if (name.endsWith(META)) {
            return failed.contains(name.substring(0, name.length() - META.length()));
        }
        return failed.stream()
                .filter(copy -> copy.startsWith(name + "_"))
                .anyMatch(copy -> Files.exists(file.resolveSibling(copy + META)));
    }
}
