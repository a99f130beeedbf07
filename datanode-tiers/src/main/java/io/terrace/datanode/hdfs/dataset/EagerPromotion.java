package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * For tests: copies every block to memory when it is finalised and when it is first opened for a client, before the caller
 * goes on, and drops others where there is no room.
 *
 * <p>So that Hadoop's own tests, which write a file, read it once and go, read it through Terrace. Blocks its caller for
 * the length of a copy, {@value #WAIT_MS} ms at most; whatever fails leaves the reader with the replica.
 */
public final class EagerPromotion implements DatasetListener {

    private static final Logger LOG = LoggerFactory.getLogger(EagerPromotion.class);
    private static final long WAIT_MS = 2_000;

    private final DatasetListener watch;
    private final LocalTier tier;
    private final CopyQueue copyQueue;
    private final ReplicaSource replicas;
    private final LongSupplier nanoClock;

    public EagerPromotion(
            DatasetListener watch,
            LocalTier tier,
            CopyQueue copyQueue,
            ReplicaSource replicas,
            LongSupplier nanoClock) {
        this.watch = watch;
        this.tier = tier;
        this.copyQueue = copyQueue;
        this.replicas = replicas;
        this.nanoClock = nanoClock;
    }

    @Override
    public @Nullable InputStream openCopy(ExtendedBlock block, long offset) {
        InputStream copy = watch.openCopy(block, offset);
        if (copy == null && ReaderKind.ofCurrentThread() != ReaderKind.OTHER) {
            promote(block);
            copy = watch.openCopy(block, offset);
        }
        return copy;
    }

    @Override
    public void finalised(ExtendedBlock block) {
        watch.finalised(block);
        promote(block);
    }

    private void promote(ExtendedBlock block) {
        // Erasure-coded blocks have negative ids and are not promoted.
        BlockVersion found = block.getBlockId() < 0 ? null : replicas.find(block.getBlockPoolId(), block.getBlockId());
        if (found == null || found.lengthBytes() == 0) {
            return;
        }
        // A block larger than the tier would evict all others in vain.
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
     * Whatever comes first in the tier's order goes, which has nothing to do with use: of a file that is larger than the tier
     * and read again and again, evicting what was read longest ago would leave nothing that is read next.
     */
    private void makeRoom(long lengthBytes) {
        long nowNs = nanoClock.getAsLong();
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
    public InputStream opened(ExtendedBlock block, InputStream stock) {
        return watch.opened(block, stock);
    }

    @Override
    public void changed(String pool, long blockId) {
        watch.changed(pool, blockId);
    }

    @Override
    public void poolReady(String pool) {
        watch.poolReady(pool);
    }

    @Override
    public void poolGone(String pool) {
        watch.poolGone(pool);
    }

    /** What the mode for tests copied makes way: otherwise it would outlive the directive, as what the service ordered does. */
    @Override
    public int pin(String pool, long[] blockIds) {
        for (long blockId : blockIds) {
            if (!tier.isPinned(pool, blockId)) {
                tier.changed(pool, blockId, nanoClock.getAsLong());
            }
        }
        return watch.pin(pool, blockIds);
    }

    @Override
    public int unpin(String pool, long[] blockIds) {
        return watch.unpin(pool, blockIds);
    }

    @Override
    public List<Long> pinned(String pool) {
        return watch.pinned(pool);
    }

    @Override
    public boolean isPinned(String pool, long blockId) {
        return watch.isPinned(pool, blockId);
    }

    @Override
    public long pinnedCopies() {
        return watch.pinnedCopies();
    }

    @Override
    public long pinCapacityBytes() {
        return watch.pinCapacityBytes();
    }

    @Override
    public long pinUsedBytes() {
        return watch.pinUsedBytes();
    }

    /**
     * The replicas, without reports of corrupt ones: a block that is reported before the NameNode has heard of its new
     * stamp never becomes complete. Whoever reads it finds out by himself, as on stock.
     */
    public record QuietSource(ReplicaSource replicas) implements ReplicaSource {
        @Override
        public @Nullable BlockVersion find(String pool, long blockId) {
            return replicas.find(pool, blockId);
        }

        @Override
        public OpenReplica open(BlockVersion block) throws IOException {
            return replicas.open(block);
        }

        @Override
        public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
            return replicas.ifUnchanged(block, action);
        }

        @Override
        public void reportCorrupt(BlockVersion block) {
            LOG.info("{} is corrupt; not reported in the mode for tests", block.key());
        }
    }
}
