package io.terrace.bench.soak;

import io.terrace.bench.soak.Flips.ReplicaFlip;
import io.terrace.bench.soak.client.LastBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recoveries of a last block that went on with one replica alone, in which a bit had been flipped: after a cut, or when a lease
 * was recovered. The others are deleted as stale then. Stock HDFS 3.5 does so, and does not verify what it goes on with.
 * Thread-safe.
 */
final class DamagedRecoveries {
    /** Of a NameNode's log: a recovery that went on with a single replica has one target. */
    private static final Pattern ONE_TARGET =
            Pattern.compile("commitBlockSynchronization\\(oldBlock=[^,]*:blk_(\\d+)_\\d+, "
                    + ".*newgenerationstamp=(\\d+), newlength=\\d+, newtargets=\\[[^, \\]]+\\]\\) successful");

    private final Flips flips;
    private final Path logs;

    /** @param logs directory of the logs of all daemons */
    DamagedRecoveries(Flips flips, Path logs) {
        this.flips = flips;
        this.logs = logs;
    }

    /**
     * Whether a block cannot be read for this reason and no other: a bit was flipped in one of its replicas; a later recovery went
     * on with one replica alone; one replica is left on all volumes; and but for that very bit it holds what was written.
     */
    boolean explain(LastBlock block) throws IOException {
        Optional<ReplicaFlip> found = flips.ofReplica(block.id());
        if (found.isEmpty()) {
            return false;
        }
        ReplicaFlip flip = found.get();
        return flip.offset() < block.length()
                && wentOnWithOne(block, flip)
                && onlyReplica(block, flip)
                        .filter(file -> isDamagedThere(file, block, flip))
                        .isPresent();
    }

    /** A later append leaves the block with that replica, so any stamp since the flip will do. */
    private boolean wentOnWithOne(LastBlock block, ReplicaFlip flip) throws IOException {
        try (Stream<Path> files = Files.list(logs)) {
            for (Path log : files.toList()) {
                String name = log.getFileName().toString();
                if (name.startsWith("namenode") && name.endsWith(".log") && wentOnWithOne(log, block, flip)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean wentOnWithOne(Path log, LastBlock block, ReplicaFlip flip) throws IOException {
        try (Stream<String> lines = Files.lines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> {
                Matcher matcher = ONE_TARGET.matcher(line);
                if (!matcher.find() || Long.parseLong(matcher.group(1)) != block.id()) {
                    return false;
                }
                long stamp = Long.parseLong(matcher.group(2));
                return flip.stamp() < stamp && stamp <= block.stamp();
            });
        }
    }

    /** The file of the only replica that any DataNode has, if it has the block's stamp. */
    private static Optional<Path> onlyReplica(LastBlock block, ReplicaFlip flip) throws IOException {
        List<Path> replicas = flip.replicas();
        if (replicas.size() != 1) {
            return Optional.empty();
        }
        Path meta = replicas.get(0).resolveSibling("blk_" + block.id() + "_" + block.stamp() + ".meta");
        return replicas.stream().filter(file -> Files.exists(meta)).findFirst();
    }

    private static boolean isDamagedThere(Path file, LastBlock block, ReplicaFlip flip) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException gone) {
            return false;
        }
        if (flip.offset() >= bytes.length || block.isBeginningOf(bytes)) {
            return false;
        }
        bytes[(int) flip.offset()] ^= (byte) flip.mask();
        return block.isBeginningOf(bytes);
    }
}
