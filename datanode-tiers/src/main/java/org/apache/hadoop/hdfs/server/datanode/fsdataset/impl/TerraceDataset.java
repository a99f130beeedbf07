package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.datanode.hdfs.volume.MovableDataset;
import io.terrace.datanode.hdfs.volume.MovesInProgress;
import io.terrace.datanode.hdfs.volume.ReplicaMover;
import io.terrace.datanode.hdfs.volume.VolumeMove;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutSubLockStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataSetSubLockStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi.ScanInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.apache.hadoop.util.AutoCloseableLock;
import org.jspecify.annotations.Nullable;

/**
 * Stock's dataset that tells a watch about every change of a replica and lets it serve readers and pins.
 *
 * <p>Only forwards. A change is told before it is made, so that nobody begins to read the old copy, and after it, so that
 * no copy that was made in between stays.
 */
public final class TerraceDataset extends FsDatasetImpl implements ObservedDataset {

    /** Guarded by itself: the pools whose replicas are all known. */
    private final Set<String> readyPools = new HashSet<>();

    private final DataSetSubLockStrategy subLocks = new DataNodeLayoutSubLockStrategy();
    private final ReplicaMover mover;

    private volatile @Nullable DatasetListener watch;

    TerraceDataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
        super(datanode, storage, conf);
        mover = new ReplicaMover(datanode, new Movable(), conf);
    }

    @Override
    public ReplicaMover mover() {
        return mover;
    }

    @Override
    public void watch(DatasetListener newWatch) {
        synchronized (readyPools) {
            watch = newWatch;
            readyPools.forEach(newWatch::poolReady);
        }
    }

    @Override
    public void unwatch() {
        watch = null;
    }

    private void changed(String pool, long blockId) {
        mover.moves().veto(pool, blockId, "the replica changed while it was moved");
        DatasetListener present = watch;
        if (present != null) {
            present.changed(pool, blockId);
        }
    }

    private void changed(ExtendedBlock block) {
        changed(block.getBlockPoolId(), block.getBlockId());
    }

    @Override
    public InputStream getBlockInputStream(ExtendedBlock b, long seekOffset) throws IOException {
        DatasetListener present = watch;
        InputStream copy = present == null ? null : present.openCopy(b, seekOffset);
        if (copy != null) {
            return copy;
        }
        InputStream stock = open(b, () -> super.getBlockInputStream(b, seekOffset));
        return present == null ? stock : present.opened(b, stock);
    }

    @Override
    public @Nullable LengthInputStream getMetaDataInputStream(ExtendedBlock b) throws IOException {
        return open(b, () -> super.getMetaDataInputStream(b));
    }

    @Override
    public long getLength(ExtendedBlock b) throws IOException {
        return open(b, () -> super.getLength(b));
    }

    private interface Opening<T extends @Nullable Object> {
        T open() throws IOException;
    }

    /** Has moves wait for whoever looks a replica up and opens its files without a lock, and opens again where none did. */
    private <T extends @Nullable Object> T open(ExtendedBlock block, Opening<T> opening) throws IOException {
        Lock opens = mover.barrier().opening(block.getBlockId());
        opens.lock();
        try {
            T opened = opening.open();
            return opened != null || !isWhole(block) ? opened : opening.open();
        } catch (IOException e) {
            if (!isWhole(block)) {
                throw e;
            }
            return opening.open();
        } finally {
            opens.unlock();
        }
    }

    /** Whether there are both files of the replica, where it is now. */
    private boolean isWhole(ExtendedBlock block) {
        ReplicaInfo now = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
        return now != null && now.blockDataExists() && now.metadataExists();
    }

    @Override
    public ReplicaHandler append(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        changed(b);
        try {
            return super.append(b, newGS, expectedBlockLen);
        } finally {
            changed(b);
        }
    }

    @Override
    public ReplicaHandler recoverAppend(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        changed(b);
        try {
            return super.recoverAppend(b, newGS, expectedBlockLen);
        } finally {
            changed(b);
        }
    }

    @Override
    public Replica recoverClose(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        changed(b);
        try {
            return super.recoverClose(b, newGS, expectedBlockLen);
        } finally {
            changed(b);
        }
    }

    @Override
    public void finalizeBlock(ExtendedBlock b, boolean fsyncDir) throws IOException {
        super.finalizeBlock(b, fsyncDir);
        DatasetListener present = watch;
        if (present != null) {
            present.finalised(b);
        }
    }

    @Override
    public void unfinalizeBlock(ExtendedBlock b) throws IOException {
        changed(b);
        try {
            super.unfinalizeBlock(b);
        } finally {
            changed(b);
        }
    }

    @Override
    ReplicaRecoveryInfo initReplicaRecovery(
            String bpid, ReplicaMap map, Block block, long recoveryId, long xceiverStopTimeout) throws IOException {
        changed(bpid, block.getBlockId());
        try {
            return super.initReplicaRecovery(bpid, map, block, recoveryId, xceiverStopTimeout);
        } finally {
            changed(bpid, block.getBlockId());
        }
    }

    @Override
    public ReplicaRecoveryInfo initReplicaRecovery(RecoveringBlock rBlock) throws IOException {
        changed(rBlock.getBlock());
        try {
            return super.initReplicaRecovery(rBlock);
        } finally {
            changed(rBlock.getBlock());
        }
    }

    @Override
    public Replica updateReplicaUnderRecovery(ExtendedBlock oldBlock, long recoveryId, long newBlockId, long newlength)
            throws IOException {
        changed(oldBlock);
        try {
            return super.updateReplicaUnderRecovery(oldBlock, recoveryId, newBlockId, newlength);
        } finally {
            changed(oldBlock);
        }
    }

    @Override
    ReplicaInfo moveBlock(
            ExtendedBlock block, ReplicaInfo replicaInfo, FsVolumeReference volumeRef, boolean moveBlockToLocalMount)
            throws IOException {
        String pool = block.getBlockPoolId();
        VolumeMove mine = mover.mine(pool, block.getBlockId());
        if (mine != null) {
            return mine.to(replicaInfo, volumeRef, moveBlockToLocalMount);
        }
        try (MovesInProgress.Move ignored = mover.moves().beginStock(pool, block.getBlockId())) {
            ReplicaInfo now = volumeMap.get(pool, block.getBlockId());
            if (now == null || now != replicaInfo) {
                throw new ReplicaNotFoundException(block);
            }
            if (replicaInfo.getStorageUuid().equals(volumeRef.getVolume().getStorageID())) {
                // Stock renames the replica over itself and then deletes it.
                throw new ReplicaAlreadyExistsException(replicaInfo + " is on " + volumeRef.getVolume() + " already");
            }
            changed(block);
            try {
                return super.moveBlock(block, replicaInfo, volumeRef, moveBlockToLocalMount);
            } finally {
                changed(block);
            }
        }
    }

    /** What moves of ours need of the private parts. */
    private final class Movable implements MovableDataset {

        @Override
        public FsDatasetSpi<?> dataset() {
            return TerraceDataset.this;
        }

        @Override
        public @Nullable ReplicaInfo replica(String pool, long blockId) {
            return volumeMap.get(pool, blockId);
        }

        @Override
        public void chooseAndMove(ExtendedBlock block, StorageType type) throws IOException {
            TerraceDataset.super.moveBlockAcrossStorage(block, type, null);
        }

        @Override
        public boolean keepsDeletedFiles(String pool) {
            return dataStorage.trashEnabled(pool);
        }

        @Override
        public File temporaryFiles(FsVolumeSpi volume, String pool) throws IOException {
            return ((FsVolumeImpl) volume).getTmpDir(pool);
        }

        @Override
        public ReplicaInfo link(ExtendedBlock block, ReplicaInfo replica, FsVolumeReference target) throws IOException {
            return moveReplicaToVolumeOnSameMount(block, replica, target);
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
            volumeMap.add(pool, replica);
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
            DatasetListener present = watch;
            if (present != null) {
                present.moved(pool, blockId);
            }
        }
    }

    @Override
    public void invalidate(String bpid, Block[] invalidBlks) throws IOException {
        for (Block block : invalidBlks) {
            changed(bpid, block.getBlockId());
        }
        super.invalidate(bpid, invalidBlks);
    }

    @Override
    public void invalidate(String bpid, ReplicaInfo block) {
        changed(bpid, block.getBlockId());
        super.invalidate(bpid, block);
    }

    @Override
    boolean removeReplicaFromMem(ExtendedBlock block, FsVolumeImpl volume) {
        boolean removed = false;
        try {
            removed = super.removeReplicaFromMem(block, volume);
        } finally {
            changed(block);
        }
        if (!removed) {
            deleteWhereItIs(block, volume);
        }
        return removed;
    }

    /** A deletion that waited while the replica was moved finds it on another volume, where stock leaves it. */
    private void deleteWhereItIs(ExtendedBlock block, FsVolumeImpl volume) {
        ReplicaInfo now = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
        if (now == null || now.getVolume() == null || now.getStorageUuid().equals(volume.getStorageID())) {
            return;
        }
        try {
            invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
        } catch (IOException e) {
            LOG.warn("Cannot delete {}, which was moved; the NameNode asks again", now, e);
        }
    }

    @Override
    public void invalidateMissingBlock(String bpid, Block block, boolean checkFiles) {
        try {
            super.invalidateMissingBlock(bpid, block, checkFiles);
        } finally {
            changed(bpid, block.getBlockId());
        }
    }

    @Override
    public void checkAndUpdate(String bpid, ScanInfo scanInfo) throws IOException {
        long blockId = scanInfo.getBlockId();
        // A move publishes when nobody has this lock.
        try (AutoCloseableLock ignored = acquireDatasetLockManager()
                .writeLock(
                        LockLevel.DIR, bpid, scanInfo.getVolume().getStorageID(), subLocks.blockIdToSubLock(blockId))) {
            if (mover.moves().isMoving(bpid, blockId)) {
                // Two whole copies are there for a moment; stock would remove one of them. The next scan looks again.
                return;
            }
            try {
                super.checkAndUpdate(bpid, scanInfo);
            } finally {
                changed(bpid, blockId);
            }
        }
    }

    @Override
    public void addBlockPool(String bpid, Configuration conf) throws IOException {
        try {
            super.addBlockPool(bpid, conf);
        } catch (AddBlockPoolException e) {
            // The DataNode removes the volumes that failed, reports them, and continues with the others.
            poolReady(bpid);
            throw e;
        }
        poolReady(bpid);
    }

    private void poolReady(String bpid) {
        synchronized (readyPools) {
            readyPools.add(bpid);
            DatasetListener present = watch;
            if (present != null) {
                present.poolReady(bpid);
            }
        }
    }

    @Override
    public void shutdownBlockPool(String bpid) {
        poolGone(bpid);
        super.shutdownBlockPool(bpid);
    }

    @Override
    public void deleteBlockPool(String bpid, boolean force) throws IOException {
        poolGone(bpid);
        super.deleteBlockPool(bpid, force);
    }

    private void poolGone(String bpid) {
        synchronized (readyPools) {
            readyPools.remove(bpid);
            DatasetListener present = watch;
            if (present != null) {
                present.poolGone(bpid);
            }
        }
    }

    @Override
    public void cache(String bpid, long[] blockIds) {
        DatasetListener present = watch;
        if (present == null) {
            super.cache(bpid, blockIds);
        } else {
            cacheManager.numBlocksFailedToCache.add(present.pin(bpid, blockIds));
        }
    }

    @Override
    public void uncache(String bpid, long[] blockIds) {
        DatasetListener present = watch;
        if (present == null) {
            super.uncache(bpid, blockIds);
            return;
        }
        // Stock must uncache what it cached before there was a listener.
        long[] stocks =
                LongStream.of(blockIds).filter(id -> super.isCached(bpid, id)).toArray();
        super.uncache(bpid, stocks);
        int unknown = present.unpin(bpid, blockIds);
        cacheManager.numBlocksFailedToUncache.add(Math.max(0, unknown - stocks.length));
    }

    @Override
    public void pinFailed() {
        cacheManager.numBlocksFailedToCache.increment();
    }

    /** Stock lets short-circuit readers of what this says skip checksums while they anchor it. */
    @Override
    public boolean isCached(String bpid, long blockId) {
        DatasetListener present = watch;
        return (present != null && present.isPinned(bpid, blockId)) || super.isCached(bpid, blockId);
    }

    @Override
    public List<Long> getCacheReport(String bpid) {
        DatasetListener present = watch;
        return present == null ? super.getCacheReport(bpid) : present.pinned(bpid);
    }

    @Override
    public long getNumBlocksCached() {
        DatasetListener present = watch;
        return present == null ? super.getNumBlocksCached() : present.pinnedCopies();
    }

    /**
     * What directives may pin of the tier; within {@code dfs.datanode.max.locked.memory} where that is set, which stock
     * shares between them and lazy persistence.
     */
    @Override
    public long getCacheCapacity() {
        DatasetListener present = watch;
        long lockable = super.getCacheCapacity();
        if (present == null) {
            return lockable;
        }
        return lockable == 0 ? present.pinCapacityBytes() : Math.min(lockable, present.pinCapacityBytes());
    }

    /** Stock's own account has only the replicas on RAM disks once the tier stands in for its cache. */
    @Override
    public long getCacheUsed() {
        DatasetListener present = watch;
        return present == null ? super.getCacheUsed() : present.pinUsedBytes() + super.getCacheUsed();
    }
}
