package io.terrace.datanode.hdfs.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockPinningException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks replicas that a range of tiers keeps where they are, and, where it is switched on, refuses them to others who move:
 * Mover, Satisfier and Balancer. The mark is the sticky bit of the meta file, so it outlives restarts; stock has no use for
 * it. Thread-safe.
 */
public final class MoveGuard {

    private static final String MODE = "unix:mode";
    private static final int STICKY = 01000;
    private static final Logger LOG = LoggerFactory.getLogger(MoveGuard.class);

    private volatile @Nullable Runnable refused;

    /**
     * Switches it on or off.
     *
     * @param onRefusal told of each refusal; null for off
     */
    void set(@Nullable Runnable onRefusal) {
        refused = onRefusal;
    }

    /** Marks the replica, or removes the mark. One that cannot be marked can be moved by others. */
    static void mark(ReplicaInfo replica, boolean kept) {
        try {
            Path meta = TargetFiles.path(replica.getMetadataURI());
            int mode = (int) Files.getAttribute(meta, MODE);
            int wanted = kept ? mode | STICKY : mode & ~STICKY;
            if (wanted != mode) {
                Files.setAttribute(meta, MODE, wanted);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("Cannot note whether a range of tiers keeps {}", replica, e);
        }
    }

    static boolean isMarked(ReplicaInfo replica) {
        try {
            return ((int) Files.getAttribute(TargetFiles.path(replica.getMetadataURI()), MODE) & STICKY) != 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** Whether others are refused it; counted. */
    boolean refuses(@Nullable ReplicaInfo replica) {
        Runnable onRefusal = refused;
        if (onRefusal == null || replica == null || !isMarked(replica)) {
            return false;
        }
        onRefusal.run();
        return true;
    }

    /** Refuses a move within the DataNode, as a mover understands it. */
    void check(ExtendedBlock block, @Nullable ReplicaInfo replica) throws BlockPinningException {
        if (replica != null && refuses(replica)) {
            throw new BlockPinningException("a range of tiers keeps " + block + " on " + replica.getVolume()
                    + ": placementctl release takes it home");
        }
    }
}
