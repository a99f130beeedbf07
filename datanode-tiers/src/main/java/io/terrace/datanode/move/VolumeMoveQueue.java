package io.terrace.datanode.move;

import io.terrace.common.AgentThread;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out orders to move replicas between volumes, as many at a time as there are workers, from a bounded queue. An
 * order that does not fit into the queue is refused at once. All workers share one rate. Thread-safe.
 */
public final class VolumeMoveQueue implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(VolumeMoveQueue.class);
    private static final long STOP_WAIT_MS = 10_000;
    /** Made before memory is short. */
    private static final MoveResult ERROR = MoveResult.of(MoveOutcome.FAILED, "an error, see the DataNode's log");

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
    }

    /**
     * A wish for a move.
     *
     * @param stillWanted asked when its turn comes, and while it is made: an order of an earlier epoch is not
     * @param done hears once how it ended, on a worker's thread
     */
    public record Order(BlockVersion block, StorageTier to, BooleanSupplier stillWanted, Consumer<MoveResult> done) {}

    private final Mover mover;
    private final MetricRegistry metricRegistry;
    private final BlockingQueue<Order> queue;
    private final List<AgentThread> workers = new ArrayList<>();
    private volatile boolean closed;

    /** Starts no worker: somebody calls {@link #step}. */
    VolumeMoveQueue(Mover mover, int queueLength, MetricRegistry metricRegistry) {
        this.mover = mover;
        this.metricRegistry = metricRegistry;
        this.queue = new ArrayBlockingQueue<>(queueLength);
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
        for (int i = 0; i < threads; i++) {
            VerifiedCopy own = new VerifiedCopy(tokenBucket);
            AgentThread worker =
                    new AgentThread("terrace-move-" + i + "-" + name, nowNs -> waitAndStep(own), 0, System::nanoTime);
            workers.add(worker.start());
        }
    }

    /** Takes an order, or refuses it. */
    public void submit(Order order) {
        if (closed) {
            order.done().accept(MoveResult.of(MoveOutcome.REFUSED, "shutting down"));
        } else if (!queue.offer(order)) {
            order.done().accept(MoveResult.of(MoveOutcome.REFUSED, "too many moves between volumes wait"));
        }
    }

    /** As {@link #step}, but waits a while for an order. */
    private int waitAndStep(VerifiedCopy copier) throws InterruptedException {
        Order order = queue.poll(1, TimeUnit.SECONDS);
        if (order == null) {
            return 0;
        }
        answer(order, copier);
        return 1;
    }

    /** Carries out the order that waits for longest; false when there is none. */
    boolean step(VerifiedCopy copier) {
        Order order = queue.poll();
        if (order != null) {
            answer(order, copier);
        }
        return order != null;
    }

    /** An order that is not answered is never sent again, so each is, however it ends. */
    private void answer(Order order, VerifiedCopy copier) {
        MoveResult result = ERROR;
        try {
            result = carryOut(order, copier);
        } catch (RuntimeException e) {
            LOG.error("Cannot move {} to {}", order.block().key(), order.to(), e);
            result = MoveResult.of(MoveOutcome.FAILED, String.valueOf(e));
        } finally {
            count(result);
            order.done().accept(result);
        }
    }

    private MoveResult carryOut(Order order, VerifiedCopy copier) {
        BooleanSupplier stillWanted = () -> !closed && order.stillWanted().getAsBoolean();
        return stillWanted.getAsBoolean()
                ? mover.move(order.block(), order.to(), copier, stillWanted)
                : MoveResult.of(MoveOutcome.REFUSED, "no longer wanted");
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
        closed = true;
        queue.clear();
    }

    @Override
    public void close() {
        stop();
        workers.forEach(worker -> worker.stop(true));
        workers.forEach(worker -> worker.close(false, STOP_WAIT_MS));
    }
}
