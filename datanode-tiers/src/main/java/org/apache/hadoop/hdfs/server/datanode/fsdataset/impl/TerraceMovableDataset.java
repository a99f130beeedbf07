package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.terrace.datanode.hdfs.volume.MovableDataset;
import java.io.File;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/** What moves of ours need of the dataset's private parts. Only forwards. */
final class TerraceMovableDataset implements MovableDataset {

    private final TerraceDataset dataset;

    TerraceMovableDataset(TerraceDataset dataset) {
        this.dataset = dataset;
    }

    @Override
    public FsDatasetSpi<?> dataset() {
        return dataset;
    }

    @Override
    public @Nullable ReplicaInfo replica(String pool, long blockId) {
        return dataset.volumeMap.get(pool, blockId);
    }

    @Override
    public void chooseAndMove(ExtendedBlock block, StorageType type) throws IOException {
        dataset.moveBlockAcrossStorage(block, type, null);
    }

    @Override
    public boolean keepsDeletedFiles(String pool) {
        return dataset.dataStorage.trashEnabled(pool);
    }

    @Override
    public File temporaryFiles(FsVolumeSpi volume, String pool) throws IOException {
        return ((FsVolumeImpl) volume).getTmpDir(pool);
    }

    @Override
    public ReplicaInfo link(ExtendedBlock block, ReplicaInfo replica, FsVolumeReference target) throws IOException {
        return dataset.moveReplicaToVolumeOnSameMount(block, replica, target);
    }

    @Override
    public ReplicaInfo finalise(String pool, ReplicaInfo temporary, long reservedBytes) throws IOException {
        FsVolumeImpl volume = (FsVolumeImpl) temporary.getVolume();
        ReplicaInfo finalised = volume.addFinalizedBlock(pool, temporary, temporary, reservedBytes);
        volume.incDfsUsedAndNumBlocks(pool, 0);
        return finalised;
    }

    @Override
    public void put(String pool, ReplicaInfo replica) {
        dataset.volumeMap.add(pool, replica);
    }

    @Override
    public void removed(FsVolumeSpi volume, String pool, long dataBytes, long metaBytes) {
        if (dataBytes >= 0) {
            ((FsVolumeImpl) volume).onBlockFileDeletion(pool, dataBytes);
        }
        if (metaBytes >= 0) {
            ((FsVolumeImpl) volume).onMetaFileDeletion(pool, metaBytes);
        }
    }

    @Override
    public void moved(String pool, long blockId) {
        dataset.events().moved(pool, blockId);
    }
}
