package io.terrace.datanode.move;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the orders of placement services: drops at once, promotions through the {@link CopyQueue}, moves between
 * volumes through the {@link VolumeMoveQueue}. An order that is sent again while it is carried out is taken once; one of
 * an epoch that was superseded is refused, also when its turn comes only later. Copies and moves keep to the lowest rate
 * of all services whose orders are under way. Thread-safe.
 */
public final class MoveOrderExecutor {

    private record Running(String pool, long epoch, long moveId) {}

    private final LocalTier tier;
    private final CopyQueue copyQueue;
    private final EpochFence epochFence;
    private final SharedRateLimit rateLimit;
    private final MetricRegistry metricRegistry;
    private final Runnable wakeHousekeeping;
    private final @Nullable VolumeMoveQueue volumeMoves;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    /** Takes orders where replicas are not moved between volumes. */
    public MoveOrderExecutor(
            LocalTier tier,
            CopyQueue copyQueue,
            EpochFence epochFence,
            TokenBucket tokenBucket,
            long ownBytesPerSecond,
            MetricRegistry metricRegistry,
            Runnable wakeHousekeeping) {
        this(tier, copyQueue, epochFence, tokenBucket, ownBytesPerSecond, metricRegistry, wakeHousekeeping, null);
    }

    /**
     * Takes orders.
     *
     * @param ownBytesPerSecond the DataNode's own limit on making copies, whatever an order allows; 0 is none
     * @param volumeMoves null where replicas are not moved between volumes
     */
    public MoveOrderExecutor(
            LocalTier tier,
            CopyQueue copyQueue,
            EpochFence epochFence,
            TokenBucket tokenBucket,
            long ownBytesPerSecond,
            MetricRegistry metricRegistry,
            Runnable wakeHousekeeping,
            @Nullable VolumeMoveQueue volumeMoves) {
        this.tier = tier;
        this.copyQueue = copyQueue;
        this.epochFence = epochFence;
        this.rateLimit = new SharedRateLimit(tokenBucket, ownBytesPerSecond);
        this.metricRegistry = metricRegistry;
        this.wakeHousekeeping = wakeHousekeeping;
        this.volumeMoves = volumeMoves;
    }

    /** Whether orders to move a replica between volumes are carried out. */
    public boolean takesVolumeMoves() {
        return volumeMoves != null;
    }

    /**
     * Takes an order; its result is told once, perhaps before this returns.
     *
     * @param epoch of the service that gives the order
     */
    public void take(String pool, long epoch, MoveOrder order, long nowNs, Consumer<MoveResult> done) {
        Running id = new Running(pool, epoch, order.moveId());
        BlockVersion block = order.block().in(pool);
        if (!running.add(id)) {
            return;
        }
        metricRegistry.increment(Metric.ORDERS);
        Consumer<MoveResult> finish = result -> {
            running.remove(id);
            if (result.outcome() == MoveOutcome.REFUSED) {
                metricRegistry.increment(Metric.ORDERS_REFUSED);
            }
            done.accept(result);
        };
        BooleanSupplier isCurrent = () -> epochFence.isCurrent(pool, epoch);
        if (!isCurrent.getAsBoolean()) {
            finish.accept(MoveResult.of(MoveOutcome.REFUSED, "an order of an earlier epoch"));
        } else if (order.isPromotion()) {
            rateLimit.begun(pool, order.bytesPerSecond());
            copyQueue.submit(new CopyQueue.Order(block, false, isCurrent, result -> {
                rateLimit.ended(pool);
                finish.accept(result);
            }));
        } else if (order.isVolumeMove()) {
            moveBetweenVolumes(block, order, isCurrent, finish);
        } else {
            finish.accept(drop(block.key(), nowNs));
        }
    }

    private void moveBetweenVolumes(
            BlockVersion block, MoveOrder order, BooleanSupplier isCurrent, Consumer<MoveResult> finish) {
        StorageTier to = order.to();
        VolumeMoveQueue queue = volumeMoves;
        if (queue == null || to == null) {
            finish.accept(MoveResult.of(MoveOutcome.REFUSED, "this DataNode moves no replicas between volumes"));
            return;
        }
        String pool = block.key().pool();
        rateLimit.begun(pool, order.bytesPerSecond());
        queue.submit(new VolumeMoveQueue.Order(block, to, isCurrent, result -> {
            rateLimit.ended(pool);
            if (result.outcome() == MoveOutcome.DONE) {
                queue.keep(block, order.kept());
            }
            finish.accept(result);
        }));
    }

    private MoveResult drop(BlockKey key, long nowNs) {
        if (tier.isPinned(key)) {
            return MoveResult.of(MoveOutcome.PINNED, "a cache directive asks for it");
        }
        Extent dropped = tier.drop(key, RetireCause.ORDERED, nowNs);
        if (dropped == null) {
            return MoveResult.of(MoveOutcome.NOT_HERE, "not in memory");
        }
        wakeHousekeeping.run();
        return new MoveResult(MoveOutcome.DONE, dropped.lengthBytes(), 0, "");
    }
}
