package io.terrace.datanode.writethrough;

import io.terrace.common.BlockVersion;
import io.terrace.common.DaemonThreads;
import io.terrace.common.LogThrottle;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.move.ExtentFiller;
import io.terrace.datanode.move.ExtentPublisher;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.ReplicaSource.OpenReplica;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a block that a client writes gets a copy in memory meanwhile, and makes such copies live.
 *
 * <p>Nothing is evicted for them: a copy takes room that is free, as much as was written of its block. All that are being
 * written have a bound of their own. What fails here never fails the block. Thread-safe.
 */
public final class WriteThroughCopies implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteThroughCopies.class);
    private static final int THREADS = 2;
    private static final int WAITING = 256;
    private static final long IDLE_S = 10;

    private final LocalTier tier;
    private final DraftFiles files;
    private final long mostBytes;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;
    private final PieceBuffers buffers = new PieceBuffers();
    private final AtomicLong writingBytes = new AtomicLong();
    private final LogThrottle failures = new LogThrottle(TimeUnit.SECONDS.toNanos(1));
    private final ThreadPoolExecutor writers;

    /** All writers share it, as an {@link Adoption} verifies nothing. */
    private final ExtentPublisher publisher;

    /**
     * Copies into a tier.
     *
     * @param mostBytes of all copies whose blocks are being written; 0 for no copies
     * @param name of the DataNode, for the names of threads
     */
    public WriteThroughCopies(
            LocalTier tier,
            ReplicaSource source,
            DraftFiles files,
            long mostBytes,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock,
            String name) {
        this.tier = tier;
        this.files = files;
        this.mostBytes = mostBytes;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
        this.publisher = new ExtentPublisher(tier, source, TokenBucket.ofSystem(0), nanoClock);
        this.writers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_S,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                DaemonThreads.numbered("terrace-through-" + name + "-"),
                // Whoever waits for a piece writes it if no thread has begun.
                new ThreadPoolExecutor.DiscardPolicy());
        writers.allowCoreThreadTimeOut(true);
        metricRegistry.gauge(Metric.MEMORY_THROUGH_WRITING_BYTES, this::writingBytes);
    }

    /**
     * A copy of a block of which nothing is written yet; null when there will be none.
     *
     * @param block for the log
     * @param blockBytes that the block may get: so much must be free now, so that few copies are begun in vain
     * @param fits whether replicas of the block's storage are copied to memory
     */
    public @Nullable WriteThroughCopy begin(String pool, Object block, long blockBytes, boolean fits) {
        if (mostBytes == 0 || !tier.serves(pool)) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_OFF);
        } else if (!fits) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_STORAGE);
        } else if (writingBytes.get() >= mostBytes) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_BUSY);
        } else if (!tier.space().reserve(pool, blockBytes)) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_NO_ROOM);
        } else {
            tier.space().release(blockBytes);
            return new WriteThroughCopy(this, pool, block, blockBytes);
        }
        return null;
    }

    /** What all copies hold whose blocks are being written. */
    public long writingBytes() {
        return writingBytes.get();
    }

    /** Where copies are written, by a thread that has nothing else to do. */
    Executor writers() {
        return writers;
    }

    PieceBuffers buffers() {
        return buffers;
    }

    DraftFiles files() {
        return files;
    }

    /** Takes room for more of a copy; false when there is none. */
    boolean grow(String pool, long bytes) {
        if (writingBytes.addAndGet(bytes) > mostBytes) {
            writingBytes.addAndGet(-bytes);
            metricRegistry.increment(Metric.MEMORY_THROUGH_BUSY);
            return false;
        }
        if (!tier.space().reserve(pool, bytes)) {
            writingBytes.addAndGet(-bytes);
            metricRegistry.increment(Metric.MEMORY_THROUGH_NO_ROOM);
            return false;
        }
        return true;
    }

    /** Gives up a copy that has taken so much room. A file that cannot be removed stays in use. */
    void drop(DraftFiles.@Nullable Draft draft, long heldBytes) {
        if (draft == null || files.remove(draft)) {
            release(heldBytes);
        }
    }

    /**
     * Counts a copy that is given up for another reason than room, and says why.
     *
     * @param block for the log
     */
    void dropped(Object block, @Nullable Throwable why) {
        metricRegistry.increment(Metric.MEMORY_THROUGH_DROPPED);
        Long others = why == null ? null : failures.next(nanoClock.getAsLong());
        if (others != null) {
            LOG.warn(
                    "Cannot copy {} to memory as it is written ({} earlier failures). The block itself is written as usual",
                    block,
                    others,
                    why);
        }
    }

    private void release(long heldBytes) {
        tier.space().release(heldBytes);
        writingBytes.addAndGet(-heldBytes);
    }

    /** Makes a whole copy live if its replica is finalised with this stamp and length; gives it up otherwise. */
    void publish(BlockVersion block, DraftFiles.Draft draft, long heldBytes) {
        // Room as much as it needs is there again when the extent is begun, unless somebody else is faster.
        release(heldBytes);
        Adoption adoption = new Adoption(draft);
        MoveResult result = null;
        Throwable fault = null;
        try {
            result = publisher.publish(block, false, adoption);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            fault = e;
        }
        if (!adoption.adopted && !files.remove(draft)) {
            tier.space().reserve(block.key().pool(), heldBytes);
        }
        if (result == null) {
            dropped(block.key(), fault);
        } else if (result.outcome() == MoveOutcome.DONE && result.bytesMoved() > 0) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_BLOCKS);
            metricRegistry.add(Metric.MEMORY_THROUGH_BYTES, block.lengthBytes());
        } else if (result.outcome() == MoveOutcome.NO_ROOM) {
            metricRegistry.increment(Metric.MEMORY_THROUGH_NO_ROOM);
        } else {
            LOG.debug("The copy of {} is given up: {}", block, result);
            dropped(block.key(), null);
        }
    }

    /** The file has every byte that went into the replica, each verified before. */
    private final class Adoption implements ExtentFiller {
        private final DraftFiles.Draft draft;
        private boolean adopted;

        Adoption(DraftFiles.Draft draft) {
            this.draft = draft;
        }

        @Override
        public void fill(Extent extent, OpenReplica replica, VerifiedCopy verifier) throws IOException {
            files.adopt(draft, extent);
            adopted = true;
        }
    }

    /** No block is being written any more. */
    @Override
    public void close() {
        writers.shutdownNow();
    }
}
