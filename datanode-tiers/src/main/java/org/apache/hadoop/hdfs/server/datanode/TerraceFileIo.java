package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.server.datanode.FileIoProvider.OPERATION;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/**
 * Times what is written to the files of a replica without Hadoop's streams, as these do, where {@code
 * dfs.datanode.fileio.profiling.sampling.percentage} is set. The NameNode finds slow disks by it (HDFS-10959). Only forwards.
 */
public final class TerraceFileIo {
    private final ProfilingFileIoEvents events;
    private final @Nullable FsVolumeSpi volume;

    /** Of a replica that is being written. */
    public TerraceFileIo(ReplicaInPipeline replica) {
        this.events = replica.getReplicaInfo().getFileIoProvider().getProfilingEventHook();
        this.volume = replica.getVolume();
    }

    /** A write begins: what {@link #wrote} or {@link #failed} is to be told. */
    public long begin(long bytes) {
        return events.beforeFileIo(volume, OPERATION.WRITE, bytes);
    }

    /** It has ended. */
    public void wrote(long began, long bytes) {
        events.afterFileIo(volume, OPERATION.WRITE, began, bytes);
    }

    /** It was interrupted, or the disk refused it. */
    public void failed(long began) {
        events.onFailure(volume, began);
    }

    /** Stock flushes its streams after each packet; here is nothing to flush. */
    public void flushed() {
        events.afterFileIo(volume, OPERATION.FLUSH, events.beforeFileIo(volume, OPERATION.FLUSH, 0), 0);
    }
}
