package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.AutoCloseableLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files and locks of one move in a stock dataset. */
final class DatasetMoveStorage implements MoveStorage<ReplicaInfo, FsVolumeImpl> {

    private static final Logger LOG = LoggerFactory.getLogger(DatasetMoveStorage.class);
    /** Guards the look at a volume's room and the reservation, of all moves. */
    private static final Object ROOM = new Object();

    private final DataNode datanode;
    private final MovableDataset dataset;
    private final OpenBarrier barrier;
    private final FsVolumeReference target;
    private final Consumer<MoveStep> onStep;

    /** @param target stock's reference to the volume, closed by the caller */
    DatasetMoveStorage(
            DataNode datanode,
            MovableDataset dataset,
            OpenBarrier barrier,
            FsVolumeReference target,
            Consumer<MoveStep> onStep) {
        this.datanode = datanode;
        this.dataset = dataset;
        this.barrier = barrier;
        this.target = target;
        this.onStep = onStep;
    }

    @Override
    public boolean isCurrent(BlockVersion block, ReplicaInfo replica) {
        BlockKey key = block.key();
        return dataset.replica(key.pool(), key.blockId()) == replica
                && replica.getState() == ReplicaState.FINALIZED
                && replica.getGenerationStamp() == key.generationStamp()
                && replica.getNumBytes() == block.lengthBytes();
    }

    @Override
    public boolean hasOn(BlockVersion block, FsVolumeImpl volume) {
        ReplicaInfo now = dataset.replica(block.key().pool(), block.key().blockId());
        return now != null && id(volume).equals(now.getStorageUuid());
    }

    @Override
    public FsVolumeImpl volume(ReplicaInfo replica) {
        return (FsVolumeImpl) replica.getVolume();
    }

    @Override
    public String id(FsVolumeImpl volume) {
        return volume.getStorageID();
    }

    @Override
    public Closeable hold(FsVolumeImpl volume) throws IOException {
        return volume.obtainReference();
    }

    @Override
    public long metaBytes(ReplicaInfo replica) {
        return replica.getMetadataLength();
    }

    @Override
    public boolean reserve(FsVolumeImpl volume, long bytes) throws IOException {
        synchronized (ROOM) {
            if (volume.getAvailable() < bytes) {
                return false;
            }
            volume.reserveSpaceForReplica(bytes);
        }
        return true;
    }

    @Override
    public void release(FsVolumeImpl volume, long bytes) {
        volume.releaseReservedSpace(bytes);
    }

    private TargetFiles files(BlockVersion block) {
        return new TargetFiles(datanode, dataset, extended(block), block, onStep);
    }

    private static ExtendedBlock extended(BlockVersion block) {
        BlockKey key = block.key();
        return new ExtendedBlock(key.pool(), new Block(key.blockId(), block.lengthBytes(), key.generationStamp()));
    }

    @Override
    public ReplicaInfo copied(
            BlockVersion block,
            ReplicaInfo replica,
            FsVolumeImpl volume,
            VerifiedCopy copier,
            DurableCopy.Checkpoint checkpoint)
            throws IOException {
        return files(block).copied(replica, volume, copier, checkpoint);
    }

    @Override
    public ReplicaInfo linked(BlockVersion block, ReplicaInfo replica, FsVolumeImpl volume) throws IOException {
        return files(block).linked(replica, target);
    }

    @Override
    public Held lock(BlockVersion block, FsVolumeImpl volume) {
        BlockKey key = block.key();
        AutoCloseableLock lock = ReplicaLock.write(dataset.dataset(), key.pool(), volume.getStorageID(), key.blockId());
        return lock::close;
    }

    @Override
    public Held lockPool(BlockVersion block) {
        AutoCloseableLock lock = dataset.dataset()
                .acquireDatasetLockManager()
                .writeLock(LockLevel.BLOCK_POOl, block.key().pool());
        return lock::close;
    }

    private static File directory(BlockVersion block, FsVolumeImpl volume) throws IOException {
        return DatanodeUtil.idToBlockDir(
                volume.getFinalizedDir(block.key().pool()), block.key().blockId());
    }

    @Override
    public boolean hasDirectory(BlockVersion block, FsVolumeImpl volume) throws IOException {
        return directory(block, volume).exists();
    }

    @Override
    public ReplicaInfo finalise(BlockVersion block, ReplicaInfo old, ReplicaInfo temporary, long reservedBytes)
            throws IOException {
        ReplicaInfo moved = null;
        try {
            moved = dataset.finalise(block.key().pool(), temporary, reservedBytes);
        } finally {
            if (moved == null) {
                TargetFiles.remove(temporary);
                // Stock renames the meta file first.
                Path meta = TargetFiles.path(temporary.getMetadataURI());
                Path directory = directory(block, volume(temporary)).toPath();
                TargetFiles.remove(directory.resolve(meta.getFileName()));
            }
        }
        if (moved instanceof FinalizedReplica now && old instanceof FinalizedReplica before) {
            now.setLastPartialChunkChecksum(before.getLastPartialChunkChecksum());
        }
        return moved;
    }

    @Override
    public void syncDirectory(BlockVersion block, FsVolumeImpl volume, boolean parents) throws IOException {
        File directory = directory(block, volume);
        try {
            sync(volume, directory);
            if (parents) {
                sync(volume, directory.getParentFile());
                sync(volume, directory.getParentFile().getParentFile());
            }
        } catch (IOException e) {
            throw files(block).failed(volume, e);
        }
    }

    private static void sync(FsVolumeImpl volume, File directory) throws IOException {
        volume.getFileIoProvider().dirSync(volume, directory);
    }

    @Override
    public void publish(BlockVersion block, ReplicaInfo moved) {
        dataset.put(block.key().pool(), moved);
        PlaceNotice.tell(
                moved,
                () -> datanode.notifyNamenodeReceivedBlock(
                        extended(block), null, moved.getStorageUuid(), moved.isOnTransientStorage()));
    }

    @Override
    public void moved(BlockVersion block) {
        dataset.moved(block.key().pool(), block.key().blockId());
    }

    @Override
    public boolean awaitOpens(BlockVersion block, long timeoutMs) throws InterruptedException {
        BlockKey key = block.key();
        // Clients that hold descriptors ask again, so that the old room becomes free.
        datanode.getShortCircuitRegistry().processBlockInvalidation(new ExtendedBlockId(key.blockId(), key.pool()));
        return barrier.await(key.blockId(), timeoutMs);
    }

    @Override
    public void discard(ReplicaInfo temporary) {
        TargetFiles.remove(temporary);
    }

    @Override
    public void remove(BlockVersion block, ReplicaInfo finalised) {
        long metaBytes = finalised.getMetadataLength();
        boolean dataGone = finalised.deleteBlockData() || !finalised.blockDataExists();
        boolean metaGone = finalised.deleteMetadata() || !finalised.metadataExists();
        if (!dataGone || !metaGone) {
            LOG.warn("Cannot remove the files of {}; the directory scanner removes them once it can", finalised);
            // A volume that became read-only leaves service now, not at the next write.
            datanode.checkDiskErrorAsync(finalised.getVolume());
        }
        dataset.removed(
                finalised.getVolume(),
                block.key().pool(),
                dataGone ? finalised.getNumBytes() : -1,
                metaGone ? metaBytes : -1);
    }

    @Override
    public void step(MoveStep step) {
        onStep.accept(step);
    }
}
