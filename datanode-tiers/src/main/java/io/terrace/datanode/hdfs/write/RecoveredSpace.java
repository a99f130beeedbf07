package io.terrace.datanode.hdfs.write;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/**
 * Space on the volume for what a replica may still get whose writer before has left it. That one gave back all that Hadoop
 * reserves for a replica, and Hadoop reserves nothing again; yet it takes what is acknowledged from then on off the volume's
 * reservations, never below zero, and adds it to them when the replica is finalised. Without this others lose what is reserved
 * for them meanwhile, and what was not there to be taken off stays reserved for ever.
 *
 * <p>How long the block may get is the client's word alone. So there is only one step more than what is written. Used by the
 * replica's writer.
 */
final class RecoveredSpace implements Closeable {
    private final FsVolumeSpi volume;
    private final long mostBytes;
    private final long stepBytes;

    /** The length of the replica for which there is space, as far as the volume had it. */
    private long untilBytes;

    private long bytes;

    /**
     * Reserves the first step.
     *
     * @param ackedBytes that the replica has and are acknowledged
     * @param mostBytes that the client says the block may get
     */
    RecoveredSpace(FsVolumeSpi volume, long ackedBytes, long mostBytes, long stepBytes) throws IOException {
        this.volume = volume;
        this.mostBytes = mostBytes;
        this.stepBytes = stepBytes;
        this.untilBytes = ackedBytes;
        reserve(ackedBytes);
    }

    /** Null where the replica has a reservation of its own. */
    static @Nullable RecoveredSpace of(ReplicaInPipeline replica, long mostBytes, long stepBytes) throws IOException {
        return replica.getReplicaInfo().getBytesReserved() > 0
                ? null
                : new RecoveredSpace(replica.getVolume(), replica.getBytesAcked(), mostBytes, stepBytes);
    }

    /** The replica is about to get so long. */
    void reach(long lengthBytes) throws IOException {
        if (lengthBytes > untilBytes) {
            reserve(lengthBytes);
        }
    }

    /** No more than the volume has left: what does not fit fails when it is written, as in a volume that is full. */
    private void reserve(long lengthBytes) throws IOException {
        long nextBytes = Math.max(untilBytes, Math.min(mostBytes, lengthBytes + stepBytes));
        long more = Math.min(nextBytes - untilBytes, Math.max(0, volume.getAvailable()));
        volume.reserveSpaceForReplica(more);
        bytes += more;
        untilBytes = nextBytes;
    }

    /** Gives it back, after Hadoop has done so with its own. */
    @Override
    public void close() {
        volume.releaseReservedSpace(bytes);
        bytes = 0;
    }
}
