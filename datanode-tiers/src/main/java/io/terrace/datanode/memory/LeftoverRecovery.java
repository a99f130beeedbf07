package io.terrace.datanode.memory;

import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.move.ExtentFiller;
import io.terrace.datanode.move.ExtentPublisher;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.replica.ReplicaSource.OpenReplica;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies that an earlier process left in the directory: each is verified in full against the replica's present meta file
 * and adopted, or deleted.
 *
 * <p>A pool's leftovers are looked at once its replicas are known; until then their bytes count as used. One thread.
 */
public final class LeftoverRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(LeftoverRecovery.class);

    private final LocalTier tier;
    private final LeftoverFiles directory;
    private final ExtentPublisher publisher;
    private final MetricRegistry metricRegistry;
    private final Map<String, Deque<MemoryDirectory.Leftover>> byPool = new LinkedHashMap<>();

    /** Lists the leftovers. */
    public LeftoverRecovery(
            LocalTier tier,
            LeftoverFiles directory,
            ReplicaSource source,
            TokenBucket tokenBucket,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock)
            throws IOException {
        this.tier = tier;
        this.directory = directory;
        this.publisher = new ExtentPublisher(tier, source, tokenBucket, nanoClock);
        this.metricRegistry = metricRegistry;
        for (MemoryDirectory.Leftover leftover : directory.leftovers()) {
            byPool.computeIfAbsent(leftover.pool(), pool -> new ArrayDeque<>()).add(leftover);
            tier.space().hold(leftover.block().lengthBytes());
        }
    }

    /**
     * Adopts or deletes the leftovers of a pool whose replicas are known. After an unexpected exception the rest wait for
     * another call.
     *
     * @param goOn false as soon as the process ends: what is not adopted then stays for the next one
     */
    public void recover(String pool, BooleanSupplier goOn) {
        Deque<MemoryDirectory.Leftover> leftovers = byPool.get(pool);
        if (leftovers == null) {
            return;
        }
        int all = leftovers.size();
        int adopted = 0;
        while (goOn.getAsBoolean() && !leftovers.isEmpty()) {
            adopted += recover(leftovers.remove(), goOn) ? 1 : 0;
        }
        if (leftovers.isEmpty()) {
            byPool.remove(pool);
        }
        LOG.info("Of {} copies that an earlier process left of {}, {} are served again", all, pool, adopted);
    }

    private boolean recover(MemoryDirectory.Leftover leftover, BooleanSupplier goOn) {
        tier.space().hold(-leftover.block().lengthBytes());
        boolean adopted = false;
        try {
            adopted = adopt(leftover);
        } finally {
            if (!adopted && goOn.getAsBoolean()) {
                discard(leftover);
            } else if (!adopted) {
                // A stop interrupts the verification and closes the tier: the copy may be good.
                tier.space().hold(leftover.block().lengthBytes());
            }
        }
        return adopted;
    }

    /** Deletes the leftovers of pools that this DataNode does not serve. */
    public void discardUnserved(Predicate<String> served) {
        byPool.entrySet().removeIf(pool -> {
            boolean unserved = !served.test(pool.getKey());
            if (unserved) {
                discardAll(pool.getKey(), pool.getValue());
            }
            return unserved;
        });
    }

    private void discardAll(String pool, Deque<MemoryDirectory.Leftover> leftovers) {
        LOG.info(
                "{} copies that an earlier process left of {}, which is not served, are deleted",
                leftovers.size(),
                pool);
        for (MemoryDirectory.Leftover leftover = leftovers.poll(); leftover != null; leftover = leftovers.poll()) {
            tier.space().hold(-leftover.block().lengthBytes());
            discard(leftover);
        }
    }

    private boolean adopt(MemoryDirectory.Leftover leftover) {
        Adoption adoption = new Adoption(leftover);
        try {
            MoveResult result = publisher.publish(leftover.block(), false, adoption);
            if (result.outcome() == MoveOutcome.DONE && adoption.moved) {
                metricRegistry.increment(Metric.MEMORY_LEFTOVERS_ADOPTED);
            }
        } catch (IOException e) {
            LOG.info(
                    "The copy that an earlier process left of {} is not adopted: {}",
                    leftover.block().key(),
                    e.getMessage());
        }
        return adoption.moved;
    }

    private final class Adoption implements ExtentFiller {
        private final MemoryDirectory.Leftover leftover;
        /** The file is the extent's: it goes with that, and is no leftover any more. */
        private boolean moved;

        Adoption(MemoryDirectory.Leftover leftover) {
            this.leftover = leftover;
        }

        @Override
        public void fill(Extent extent, OpenReplica replica, VerifiedCopy verifier) throws IOException {
            // The earlier process may have passed its descriptor to a stock client: such a file is removed, never
            // truncated.
            tier.markPassed(extent);
            try (FileChannel bytes = directory.open(leftover)) {
                verifier.run(bytes, replica.meta(), extent.lengthBytes(), null);
            } catch (CorruptReplicaException e) {
                // This may be the copy's fault as well as the replica's, so the replica is not reported.
                throw new IOException(e.getMessage(), e);
            }
            directory.adopt(leftover, extent);
            moved = true;
        }
    }

    private void discard(MemoryDirectory.Leftover leftover) {
        try {
            directory.discard(leftover);
            metricRegistry.increment(Metric.MEMORY_LEFTOVERS_DELETED);
        } catch (IOException e) {
            // Its bytes are there, and must not be given to a copy.
            tier.space().hold(leftover.block().lengthBytes());
            LOG.warn("Cannot delete {}: its memory stays in use until somebody removes it", leftover.path(), e);
        }
    }
}
