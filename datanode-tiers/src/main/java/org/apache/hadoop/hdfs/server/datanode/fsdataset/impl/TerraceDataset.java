package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.terrace.datanode.hdfs.dataset.DatasetEvents;
import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.datanode.hdfs.dataset.StockRecordName;
import io.terrace.datanode.hdfs.volume.ReplicaLock;
import io.terrace.datanode.hdfs.volume.ReplicaMover;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi.ScanInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.util.AutoCloseableLock;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;

/**
 * Stock's dataset that tells a listener about every change of a replica and lets it serve readers and pins. Only forwards:
 * {@link DatasetEvents} has the listener.
 */
public final class TerraceDataset extends FsDatasetImpl implements ObservedDataset {

    private final ReplicaMover mover;
    private final DatasetEvents events;

    TerraceDataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
        super(datanode, storage, conf);
        mover = new ReplicaMover(datanode, new TerraceMovableDataset(this), conf);
        events = new DatasetEvents(mover.moves());
    }

    @Override
    public ReplicaMover mover() {
        return mover;
    }

    @Override
    public DatasetEvents events() {
        return events;
    }

    /** Null also while the superclass's constructor runs, which lets metrics be read. */
    private @Nullable DatasetListener listener() {
        DatasetEvents made = events;
        return made == null ? null : made.listener();
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        super.getMetrics(new StockRecordName(collector, TerraceDataset.class, FsDatasetImpl.class), all);
    }

    private void changed(ExtendedBlock block) {
        events.changed(block.getBlockPoolId(), block.getBlockId());
    }

    @Override
    public InputStream getBlockInputStream(ExtendedBlock b, long seekOffset) throws IOException {
        DatasetListener present = listener();
        InputStream copy = present == null ? null : present.openCopy(b, seekOffset);
        if (copy != null) {
            return copy;
        }
        long beganNs = System.nanoTime();
        InputStream stock = open(b, () -> super.getBlockInputStream(b, seekOffset));
        return present == null ? stock : present.opened(b, stock, System.nanoTime() - beganNs);
    }

    @Override
    public @Nullable LengthInputStream getMetaDataInputStream(ExtendedBlock b) throws IOException {
        DatasetListener present = listener();
        LengthInputStream ofCopy = present == null ? null : present.openMeta(b);
        return ofCopy != null ? ofCopy : open(b, () -> super.getMetaDataInputStream(b));
    }

    @Override
    public long getLength(ExtendedBlock b) throws IOException {
        return open(b, () -> super.getLength(b));
    }

    /** The DataNode reports a replica as corrupt whose file this does not find, as that of one that is moved meanwhile. */
    @Override
    public void checkBlock(ExtendedBlock b, long minLength, ReplicaState state) throws IOException {
        open(b, () -> {
            super.checkBlock(b, minLength, state);
            return true;
        });
    }

    /** Has moves wait for whoever looks a replica up and opens its files without a lock. */
    private <T extends @Nullable Object> T open(ExtendedBlock block, CallableRaisingIOE<T> opening) throws IOException {
        return mover.barrier().open(block.getBlockId(), opening, () -> isWhole(block));
    }

    /** Whether there are both files of the replica, where it is now. */
    private boolean isWhole(ExtendedBlock block) {
        ReplicaInfo now = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
        return now != null && now.blockDataExists() && now.metadataExists();
    }

    /** With a new stamp it takes the place of whatever replica is there. Hadoop 3.4 has no such method, and no caller of this one. */
    @Override
    public ReplicaHandler createRbw(
            StorageType storageType, String storageId, ExtendedBlock b, boolean allowLazyPersist, long newGS)
            throws IOException {
        CallableRaisingIOE<ReplicaHandler> create =
                () -> super.createRbw(storageType, storageId, b, allowLazyPersist, newGS);
        return newGS == 0 ? create.apply() : events.change(b, create);
    }

    @Override
    public ReplicaHandler append(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        return events.change(b, () -> super.append(b, newGS, expectedBlockLen));
    }

    @Override
    public ReplicaHandler recoverAppend(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        return events.change(b, () -> super.recoverAppend(b, newGS, expectedBlockLen));
    }

    @Override
    public Replica recoverClose(ExtendedBlock b, long newGS, long expectedBlockLen) throws IOException {
        return events.change(b, () -> super.recoverClose(b, newGS, expectedBlockLen));
    }

    @Override
    public void finalizeBlock(ExtendedBlock b, boolean fsyncDir) throws IOException {
        boolean written = !isTransferred(b);
        super.finalizeBlock(b, fsyncDir);
        events.finalised(b, written);
    }

    /** Whether another DataNode sent the replica: to replicate the block, or to bring it elsewhere for the Balancer or the Mover. */
    private boolean isTransferred(ExtendedBlock block) {
        ReplicaInfo now = volumeMap.get(block.getBlockPoolId(), block.getLocalBlock());
        return now != null && now.getState() == ReplicaState.TEMPORARY;
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
        return events.change(
                bpid,
                block.getBlockId(),
                () -> super.initReplicaRecovery(bpid, map, block, recoveryId, xceiverStopTimeout));
    }

    @Override
    public ReplicaRecoveryInfo initReplicaRecovery(RecoveringBlock rBlock) throws IOException {
        return events.change(rBlock.getBlock(), () -> super.initReplicaRecovery(rBlock));
    }

    @Override
    public Replica updateReplicaUnderRecovery(ExtendedBlock oldBlock, long recoveryId, long newBlockId, long newlength)
            throws IOException {
        return events.change(
                oldBlock, () -> super.updateReplicaUnderRecovery(oldBlock, recoveryId, newBlockId, newlength));
    }

    @Override
    public ReplicaInfo moveBlockAcrossStorage(
            ExtendedBlock block, StorageType targetStorageType, String targetStorageId) throws IOException {
        mover.checkMayMove(block);
        return super.moveBlockAcrossStorage(block, targetStorageType, targetStorageId);
    }

    @Override
    public boolean getPinning(ExtendedBlock block) throws IOException {
        return mover.isPinned(block) || super.getPinning(block);
    }

    @Override
    ReplicaInfo moveBlock(
            ExtendedBlock block, ReplicaInfo replicaInfo, FsVolumeReference volumeRef, boolean moveBlockToLocalMount)
            throws IOException {
        return mover.moveTo(
                block,
                replicaInfo,
                volumeRef,
                moveBlockToLocalMount,
                () -> events.change(
                        block, () -> super.moveBlock(block, replicaInfo, volumeRef, moveBlockToLocalMount)));
    }

    @Override
    public void invalidate(String bpid, Block[] invalidBlks) throws IOException {
        for (Block block : invalidBlks) {
            events.changed(bpid, block.getBlockId());
        }
        super.invalidate(bpid, invalidBlks);
    }

    @Override
    public void invalidate(String bpid, ReplicaInfo block) {
        events.changed(bpid, block.getBlockId());
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

    /** What Hadoop 3.4 calls. */
    @Override
    public void invalidateMissingBlock(String bpid, Block block) {
        try {
            super.invalidateMissingBlock(bpid, block);
        } finally {
            events.changed(bpid, block.getBlockId());
        }
    }

    /** What Hadoop 3.5 calls; 3.4 has no such method, and nobody who would call this one. */
    @Override
    public void invalidateMissingBlock(String bpid, Block block, boolean checkFiles) {
        try {
            super.invalidateMissingBlock(bpid, block, checkFiles);
        } finally {
            events.changed(bpid, block.getBlockId());
        }
    }

    @Override
    public void checkAndUpdate(String bpid, ScanInfo scanInfo) throws IOException {
        long blockId = scanInfo.getBlockId();
        // A move publishes when nobody has this lock.
        try (AutoCloseableLock ignored =
                ReplicaLock.write(this, bpid, scanInfo.getVolume().getStorageID(), blockId)) {
            if (mover.moves().isMoving(bpid, blockId)) {
                // Two whole copies are there for a moment; stock would remove one of them. The next scan looks again.
                return;
            }
            try {
                super.checkAndUpdate(bpid, scanInfo);
                mover.removeLoneMeta(bpid, scanInfo);
            } finally {
                events.changed(bpid, blockId);
            }
        }
    }

    @Override
    public void addBlockPool(String bpid, Configuration conf) throws IOException {
        try {
            super.addBlockPool(bpid, conf);
        } catch (AddBlockPoolException e) {
            // The DataNode removes the volumes that failed, reports them, and continues with the others.
            events.poolReady(bpid);
            throw e;
        }
        events.poolReady(bpid);
    }

    @Override
    public void shutdownBlockPool(String bpid) {
        events.poolGone(bpid);
        try {
            super.shutdownBlockPool(bpid);
        } finally {
            events.poolGone(bpid); // A copy may have been published meanwhile.
        }
    }

    @Override
    public void deleteBlockPool(String bpid, boolean force) throws IOException {
        events.poolGone(bpid);
        try {
            super.deleteBlockPool(bpid, force);
        } finally {
            events.poolGone(bpid);
        }
    }

    @Override
    public void cache(String bpid, long[] blockIds) {
        DatasetListener present = listener();
        if (present == null) {
            super.cache(bpid, blockIds);
        } else {
            cacheManager.numBlocksFailedToCache.add(present.pin(bpid, blockIds));
        }
    }

    @Override
    public void uncache(String bpid, long[] blockIds) {
        DatasetListener present = listener();
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

    /**
     * Stock lets short-circuit readers of what this says skip checksums while they anchor it. DataXceiver asks only for
     * a client with a slot, just before it opens the files.
     */
    @Override
    public boolean isCached(String bpid, long blockId) {
        DatasetListener present = listener();
        if (present != null) {
            present.slotRegistered(bpid, blockId);
        }
        return (present != null && present.isPinned(bpid, blockId)) || super.isCached(bpid, blockId);
    }

    @Override
    public List<Long> getCacheReport(String bpid) {
        DatasetListener present = listener();
        return present == null ? super.getCacheReport(bpid) : present.pinned(bpid);
    }

    @Override
    public long getNumBlocksCached() {
        DatasetListener present = listener();
        return present == null ? super.getNumBlocksCached() : present.pinnedCopies();
    }

    /**
     * What directives may pin of the tier; within {@code dfs.datanode.max.locked.memory} where that is set, which stock
     * shares between them and lazy persistence.
     */
    @Override
    public long getCacheCapacity() {
        DatasetListener present = listener();
        long lockable = super.getCacheCapacity();
        if (present == null) {
            return lockable;
        }
        return lockable == 0 ? present.pinCapacityBytes() : Math.min(lockable, present.pinCapacityBytes());
    }

    /** Stock's own account has only the replicas on RAM disks once the tier stands in for its cache. */
    @Override
    public long getCacheUsed() {
        DatasetListener present = listener();
        return present == null ? super.getCacheUsed() : present.pinUsedBytes() + super.getCacheUsed();
    }
}
