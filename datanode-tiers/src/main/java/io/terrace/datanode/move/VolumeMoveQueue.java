package io.terrace.datanode.move;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Carries out orders to move replicas between volumes, as many at a time as there are workers, from a bounded queue. An
 * order that does not fit into the queue is refused at once. All workers share one rate. Thread-safe.
 */
public final class VolumeMoveQueue implements Closeable {

    /** Makes one move and returns when it is over. */
    @FunctionalInterface
    public interface Mover {
        /**
         * Moves the replica, unless it is there already.
         *
         * @param copier of the calling thread; at whose rate bytes are moved
         * @param stillWanted asked until the new place is known
         */
        MoveResult move(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted);

        /** Notes whether a range of tiers keeps the replica where it was moved to. */
        default void keep(BlockVersion block, boolean kept) {}
    }

    /**
     * An order to move a replica.
     *
     * @param stillWanted asked when its turn comes, and while it is made: an order of an earlier epoch is not
     * @param done hears once how it ended, on a worker's thread
     */
    public record Order(BlockVersion block, StorageTier to, BooleanSupplier stillWanted, Consumer<MoveResult> done) {}

    private final Mover mover;
    private final MetricRegistry metricRegistry;
    private final OrderQueue<Order, VerifiedCopy> orders;

    /** Starts no worker: somebody calls {@link #step}. */
    public VolumeMoveQueue(Mover mover, int queueLength, MetricRegistry metricRegistry) {
        this.mover = mover;
        this.metricRegistry = metricRegistry;
        this.orders = new OrderQueue<>(
                queueLength,
                order -> "move " + order.block().key() + " to " + order.to(),
                this::counted,
                (order, result) -> order.done().accept(result));
    }

    /**
     * Starts the workers.
     *
     * @param tokenBucket the rate of all of them together
     * @param name told apart by it are the threads of several DataNodes in one process
     */
    public VolumeMoveQueue(
            Mover mover,
            int threads,
            int queueLength,
            TokenBucket tokenBucket,
            String name,
            MetricRegistry metricRegistry) {
        this(mover, queueLength, metricRegistry);
        orders.start(threads, "move", name, () -> new VerifiedCopy(tokenBucket), System::nanoTime);
    }

    /** Takes an order, or refuses it. */
    public void submit(Order order) {
        orders.submit(order, "too many moves between volumes wait");
    }

    /** Notes whether a range of tiers keeps the replica where it was moved to. */
    void keep(BlockVersion block, boolean kept) {
        mover.keep(block, kept);
    }

    /** Carries out the order that waits for longest; false when there is none. */
    public boolean step(VerifiedCopy copier) {
        return orders.step(copier);
    }

    private MoveResult counted(Order order, VerifiedCopy copier) {
        boolean ended = false;
        try {
            MoveResult result = carryOut(order, copier);
            count(result);
            ended = true;
            return result;
        } finally {
            if (!ended) {
                metricRegistry.increment(Metric.VOLUME_MOVES_FAILED);
            }
        }
    }

    private MoveResult carryOut(Order order, VerifiedCopy copier) {
        BooleanSupplier stillWanted =
                () -> !orders.isClosed() && order.stillWanted().getAsBoolean();
        return stillWanted.getAsBoolean()
                ? mover.move(order.block(), order.to(), copier, stillWanted)
                : MoveResult.of(MoveOutcome.REFUSED, "cancelled: another NameNode is active, or this DataNode stops");
    }

    private void count(MoveResult result) {
        if (result.outcome() != MoveOutcome.DONE) {
            metricRegistry.increment(Metric.VOLUME_MOVES_FAILED);
        } else if (result.tookNs() > 0) {
            metricRegistry.increment(Metric.VOLUME_MOVED);
            metricRegistry.add(Metric.VOLUME_MOVED_BYTES, result.bytesMoved());
            metricRegistry.add(Metric.VOLUME_MOVED_MS, TimeUnit.NANOSECONDS.toMillis(result.tookNs()));
        }
    }

    /** Makes no more moves, and waits for none: those that have not published give up, orders that wait are not answered. */
    public void stop() {
        orders.stop();
    }

    @Override
    public void close() {
        orders.close();
    }
}
