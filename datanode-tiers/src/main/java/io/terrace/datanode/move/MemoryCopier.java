package io.terrace.datanode.move;

import io.terrace.common.BlockVersion;
import io.terrace.common.LogThrottle;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.ReplicaSource.OpenReplica;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes memory copies through an {@link ExtentPublisher}, counts them, and has the pages of a copied replica dropped.
 *
 * <p>One instance serves one thread. It never waits for room; the answer says whether waiting helps.
 */
public final class MemoryCopier {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryCopier.class);

    private final ExtentPublisher publisher;
    private final ExtentStore store;
    private final boolean dropPages;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;
    private final LogThrottle failures = new LogThrottle(TimeUnit.SECONDS.toNanos(10));

    /** Makes copies with these parts. */
    public MemoryCopier(
            LocalTier tier,
            ReplicaSource source,
            ExtentStore store,
            TokenBucket tokenBucket,
            boolean dropPages,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.publisher = new ExtentPublisher(tier, source, tokenBucket, nanoClock);
        this.store = store;
        this.dropPages = dropPages;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /** Makes the copy, unless one is there. */
    public MoveResult run(BlockVersion block, boolean pinned) {
        MoveResult result;
        try {
            result = publisher.publish(block, pinned, new Copy());
        } catch (IOException e) {
            if (!isFull(e)) {
                Long others = failures.next(nanoClock.getAsLong());
                if (others != null) {
                    LOG.warn(
                            "Cannot copy {} to memory ({} earlier failures). Clients read its replica",
                            block.key(),
                            others,
                            e);
                }
                return MoveResult.of(MoveOutcome.FAILED, String.valueOf(e));
            }
            result = MoveResult.of(MoveOutcome.NO_ROOM, "the memory directory is full");
        }
        count(result);
        return result;
    }

    private final class Copy implements ExtentFiller {
        @Override
        public void fill(Extent extent, OpenReplica replica, VerifiedCopy verifier) throws IOException {
            try (FileChannel file = store.create(extent)) {
                verifier.run(replica.data(), replica.meta(), extent.lengthBytes(), file);
            }
            store.seal(extent);
        }

        @Override
        public void published(OpenReplica replica) {
            if (dropPages) {
                replica.dropPages();
            }
        }
    }

    private void count(MoveResult result) {
        if (result.outcome() == MoveOutcome.DONE && result.bytesMoved() > 0) {
            metricRegistry.increment(Metric.MEMORY_PROMOTED);
            metricRegistry.add(Metric.MEMORY_PROMOTED_BYTES, result.bytesMoved());
            metricRegistry.add(Metric.MEMORY_PROMOTED_MS, result.tookNs() / 1_000_000);
        } else if (result.outcome() == MoveOutcome.NO_ROOM && result != ExtentPublisher.ROOM_SOON) {
            metricRegistry.increment(Metric.MEMORY_FULL);
        } else if (result.outcome() == MoveOutcome.CORRUPT) {
            metricRegistry.increment(Metric.MEMORY_REPLICAS_CORRUPT);
        }
    }

    /** The file system has no room after all, whatever the tier's accounts say. */
    private static boolean isFull(IOException e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        return message.contains("no space left") || message.contains("quota exceeded");
    }
}
