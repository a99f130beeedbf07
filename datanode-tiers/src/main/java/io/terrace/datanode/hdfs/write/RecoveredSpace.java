package io.terrace.datanode.hdfs.write;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/**
 * Space on the volume for what a replica may still get whose writer before has left it. That one gave back all that Hadoop
 * reserves for a replica, and Hadoop reserves nothing again; yet it takes what is acknowledged from then on off the volume's
 * reservations, never below zero, and adds it to them when the replica is finalised. Without this others lose what is reserved
 * for them meanwhile, and what was not there to be taken off stays reserved for ever. Used by the replica's writer.
 */
final class RecoveredSpace implements Closeable {
    private final FsVolumeSpi volume;
    private long bytes;

    private RecoveredSpace(FsVolumeSpi volume, long bytes) {
        this.volume = volume;
        this.bytes = bytes;
    }

    /**
     * Reserves it, unless the replica has a reservation.
     *
     * @param mostBytes that the client says the block may get. No more is reserved than the volume has left: what does not fit
     *     fails when it is written, as in a volume that is full.
     */
    static RecoveredSpace of(ReplicaInPipeline replica, long mostBytes) throws IOException {
        boolean reserved = replica.getReplicaInfo().getBytesReserved() > 0;
        FsVolumeSpi volume = replica.getVolume();
        long wantedBytes = reserved ? 0 : Math.max(0, mostBytes - replica.getBytesAcked());
        long bytes = Math.min(wantedBytes, Math.max(0, volume.getAvailable()));
        volume.reserveSpaceForReplica(bytes);
        return new RecoveredSpace(volume, bytes);
    }

    /** Gives it back, after Hadoop has done so with its own. */
    @Override
    public void close() {
        volume.releaseReservedSpace(bytes);
        bytes = 0;
    }
}
