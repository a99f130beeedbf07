package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi.ScanInfo;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.ReplicaRecoveryInfo;
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

    private volatile @Nullable DatasetListener watch;

    TerraceDataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
        super(datanode, storage, conf);
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
        if (present == null) {
            return super.getBlockInputStream(b, seekOffset);
        }
        InputStream copy = present.openCopy(b, seekOffset);
        return copy != null ? copy : present.opened(b, super.getBlockInputStream(b, seekOffset));
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
        changed(block);
        try {
            return super.moveBlock(block, replicaInfo, volumeRef, moveBlockToLocalMount);
        } finally {
            changed(block);
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
        try {
            return super.removeReplicaFromMem(block, volume);
        } finally {
            changed(block);
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
        try {
            super.checkAndUpdate(bpid, scanInfo);
        } finally {
            changed(bpid, scanInfo.getBlockId());
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
