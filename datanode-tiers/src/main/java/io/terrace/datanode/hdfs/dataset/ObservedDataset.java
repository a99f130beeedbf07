package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.hdfs.volume.ReplicaMover;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;

/** A dataset that tells a {@link DatasetListener}; a stock one until it has one. */
public interface ObservedDataset extends FsDatasetSpi<FsVolumeImpl> {

    /** Tells this watch from now on, beginning with the pools that are ready. */
    void watch(DatasetListener watch);

    /** A block that a directive asks for could not be brought into memory. */
    void pinFailed();

    /** Moves its replicas between volumes. */
    ReplicaMover mover();

    /** Is a stock dataset again. */
    void unwatch();
}
