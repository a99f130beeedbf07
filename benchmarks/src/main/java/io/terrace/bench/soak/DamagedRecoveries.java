package io.terrace.bench.soak;

import io.terrace.bench.soak.Flips.ReplicaFlip;
import io.terrace.bench.soak.client.LastBlock;
import io.terrace.bench.soak.logs.DaemonLogs;
import io.terrace.bench.soak.logs.RecoveryLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Recoveries of a last block that went on with one replica alone, in which a bit had been flipped: after a cut, or when a lease
 * was recovered. The others are deleted as stale then. Stock HDFS 3.5 does so, and does not verify what it goes on with.
 * Thread-safe.
 */
final class DamagedRecoveries {
    private final Flips flips;
    private final DaemonLogs logs;

    /** @param logs directory of the logs of all daemons */
    DamagedRecoveries(Flips flips, Path logs) {
        this.flips = flips;
        this.logs = new DaemonLogs(logs);
    }

    /**
     * Whether a block cannot be read for this reason and no other: a bit was flipped in one of its replicas; a later recovery went
     * on with one replica alone; one replica is left on all volumes; and but for that very bit it holds what was written. Where
     * the recovery made a new block of what a snapshot has, the bit was flipped in a replica of the old one.
     */
    boolean explain(LastBlock block) throws IOException {
        for (RecoveryLine recovery : withOneReplica()) {
            // A later append leaves the block with that replica, so any stamp since the flip will do.
            if (recovery.newBlock() == block.id()
                    && recovery.stamp() <= block.stamp()
                    && flips.ofReplica(recovery.block())
                            .filter(flip -> flip.stamp() < recovery.stamp() && flip.offset() < block.length())
                            .isPresent()
                    && isDamaged(block, flips.ofReplica(recovery.block()).orElseThrow())) {
                return true;
            }
        }
        return false;
    }

    private List<RecoveryLine> withOneReplica() throws IOException {
        List<RecoveryLine> found = new ArrayList<>();
        logs.read("namenode", (daemon, line) -> RecoveryLine.of(line)
                .filter(recovery -> recovery.targets().size() == 1)
                .ifPresent(found::add));
        return found;
    }

    private static boolean isDamaged(LastBlock block, ReplicaFlip flip) throws IOException {
        return onlyReplica(block, flip)
                .filter(file -> isDamagedThere(file, block, flip))
                .isPresent();
    }

    /** The file of the only replica that any DataNode has, if it has the block's stamp. */
    private static Optional<Path> onlyReplica(LastBlock block, ReplicaFlip flip) throws IOException {
        List<Path> replicas = flip.replicasOf(block.id());
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
