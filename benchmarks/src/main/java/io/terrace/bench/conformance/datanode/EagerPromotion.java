package io.terrace.bench.conformance.datanode;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.ReaderKind;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies every block to memory when it is finalised and when a client first opens it, before the caller goes on. Drops
 * other copies where there is no room.
 *
 * <p>Hadoop's own tests write a file and read it once; with this they read it through Terrace. A caller waits at most
 * {@value #WAIT_MS} ms for a copy. If that fails, the reader gets the replica.
 */
final class EagerPromotion implements DatasetListener {

    private static final Logger LOG = LoggerFactory.getLogger(EagerPromotion.class);
    private static final long WAIT_MS = 2_000;

    private final DatasetListener listener;
    private final LocalTier tier;
    private final CopyQueue copyQueue;
    private final ReplicaSource replicas;

    EagerPromotion(DatasetListener listener, LocalTier tier, CopyQueue copyQueue, ReplicaSource replicas) {
        this.listener = listener;
        this.tier = tier;
        this.copyQueue = copyQueue;
        this.replicas = replicas;
    }

    @Override
    public void slotRegistered(String pool, long blockId) {
        listener.slotRegistered(pool, blockId);
    }

    @Override
    public @Nullable InputStream openCopy(ExtendedBlock block, long offset) {
        BlockKey key = new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
        if (!tier.isResident(key) && ReaderKind.ofCurrentThread() != ReaderKind.OTHER) {
            promote(block);
        }
        return listener.openCopy(block, offset);
    }

    @Override
    public @Nullable LengthInputStream openMeta(ExtendedBlock block) {
        return listener.openMeta(block);
    }

    @Override
    public void finalised(ExtendedBlock block, boolean written) {
        listener.finalised(block, written);
        promote(block);
    }

    private void promote(ExtendedBlock block) {
        // Erasure-coded blocks have negative ids and are not promoted.
        BlockVersion found = block.getBlockId() < 0 ? null : replicas.find(block.getBlockPoolId(), block.getBlockId());
        if (found == null || found.lengthBytes() == 0) {
            return;
        }
        // A block larger than the tier would evict all others for nothing.
        if (copy(found) == MoveOutcome.NO_ROOM
                && found.lengthBytes() <= tier.usage().capacityBytes()) {
            makeRoom(found.lengthBytes());
            copy(found);
        }
    }

    private MoveOutcome copy(BlockVersion found) {
        CompletableFuture<MoveResult> done = new CompletableFuture<>();
        copyQueue.submit(new CopyQueue.Order(found, false, () -> true, done::complete));
        try {
            return done.get(WAIT_MS, TimeUnit.MILLISECONDS).outcome();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return MoveOutcome.REFUSED;
        } catch (ExecutionException | TimeoutException e) {
            return MoveOutcome.FAILED;
        }
    }

    /**
     * Drops copies in the tier's own order. Least-recently-read order would always drop what is read next when a test reads
     * a file larger than the tier again and again.
     */
    private void makeRoom(long lengthBytes) {
        long nowNs = System.nanoTime();
        List<Extent> live = tier.liveExtents();
        long freed = 0;
        for (Extent extent : live) {
            if (freed >= lengthBytes) {
                break;
            }
            if (tier.drop(extent.key(), RetireCause.ORDERED, nowNs) != null) {
                freed += extent.lengthBytes();
            }
        }
        tier.sweep(nowNs);
        if (freed > 0) {
            LOG.info("Evicted {} bytes for a block of {} bytes", freed, lengthBytes);
        }
    }

    @Override
    public InputStream opened(ExtendedBlock block, InputStream stock, long openNs) {
        return listener.opened(block, stock, openNs);
    }

    @Override
    public void changed(String pool, long blockId) {
        listener.changed(pool, blockId);
    }

    @Override
    public void moved(String pool, long blockId) {
        listener.moved(pool, blockId);
    }

    @Override
    public void poolReady(String pool) {
        listener.poolReady(pool);
    }

    @Override
    public void poolGone(String pool) {
        listener.poolGone(pool);
    }

    /** Drops the copy made here first. Otherwise it would stay after the directive goes, like a copy the service ordered. */
    @Override
    public int pin(String pool, long[] blockIds) {
        for (long blockId : blockIds) {
            if (!tier.isPinned(pool, blockId)) {
                tier.changed(pool, blockId, System.nanoTime());
            }
        }
        return listener.pin(pool, blockIds);
    }

    @Override
    public int unpin(String pool, long[] blockIds) {
        return listener.unpin(pool, blockIds);
    }

    @Override
    public List<Long> pinned(String pool) {
        return listener.pinned(pool);
    }

    @Override
    public boolean isPinned(String pool, long blockId) {
        return listener.isPinned(pool, blockId);
    }

    @Override
    public long pinnedCopies() {
        return listener.pinnedCopies();
    }

    @Override
    public long pinCapacityBytes() {
        return listener.pinCapacityBytes();
    }

    @Override
    public long pinUsedBytes() {
        return listener.pinUsedBytes();
    }
}
