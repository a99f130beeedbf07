package io.terrace.datanode.hdfs.volume;

import java.io.File;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/** What a move between volumes needs of a dataset, beyond what all see of it. */
public interface MovableDataset {

    /** What all see. */
    FsDatasetSpi<?> dataset();

    /** The replica as it is now, whatever its stamp; the object in the dataset's map. */
    @Nullable
    ReplicaInfo replica(String pool, long blockId);

    /**
     * Has stock choose a volume of the type, by its own policy and with room for the block, and then call {@link
     * ReplicaMover#moveTo} on this thread.
     */
    void chooseAndMove(ExtendedBlock block, StorageType type) throws IOException;

    /** Whether files of the pool that are deleted go to a trash directory, as during a rolling upgrade. */
    boolean keepsDeletedFiles(String pool);

    /** Where the volume has files that are not finalised. */
    File temporaryFiles(FsVolumeSpi volume, String pool) throws IOException;

    /** Links the replica's files into the target's directory for temporary files, which is on the same mount. */
    ReplicaInfo link(ExtendedBlock block, ReplicaInfo replica, FsVolumeReference target) throws IOException;

    /** Renames temporary files to finalised ones, counts replica and bytes, and releases what was reserved for them. */
    ReplicaInfo finalise(String pool, ReplicaInfo temporary, long reservedBytes) throws IOException;

    /** Puts the replica into the dataset's map in place of what is there. */
    void put(String pool, ReplicaInfo replica);

    /**
     * Files of a replica were removed and do not count any more.
     *
     * @param dataBytes of its data file; -1 if that is still there
     * @param metaBytes of its meta file; -1 if that is still there
     */
    void removed(FsVolumeSpi volume, String pool, long dataBytes, long metaBytes);

    /** The replica is about to be elsewhere, or is: whoever knows its files must look again. Its bytes are the same. */
    void moved(String pool, long blockId);
}
