package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.hdfs.volume.ReplicaMover;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;

/** A dataset that tells a {@link DatasetListener}; a stock one until it has one. */
public interface ObservedDataset extends FsDatasetSpi<FsVolumeImpl> {

    /** Tells the listener, which comes and goes. */
    DatasetEvents events();

    /** A block that a directive asks for could not be brought into memory. */
    void pinFailed();

    /** Moves its replicas between volumes. */
    ReplicaMover mover();
}
