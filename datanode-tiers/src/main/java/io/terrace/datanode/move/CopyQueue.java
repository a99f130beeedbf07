package io.terrace.datanode.move;

import io.terrace.common.AgentThread;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out orders to copy blocks to memory, a bounded number at a time from a bounded queue.
 *
 * <p>An order that does not fit into the queue is refused at once. An order whose room is about to be freed waits for it,
 * for {@value #ROOM_WAIT_MS} ms at most.
 */
public final class CopyQueue implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(CopyQueue.class);
    private static final long ROOM_WAIT_MS = 1_500;
    private static final long ROOM_POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long STOP_WAIT_MS = 10_000;
    /** Made before memory is short. */
    private static final MoveResult ERROR = MoveResult.of(MoveOutcome.FAILED, "an error, see the DataNode's log");

    /**
     * A wish for a copy.
     *
     * @param stillWanted asked when its turn comes: an order of an earlier epoch or an ended pin is not
     * @param done hears once how it ended, on a worker's thread
     */
    public record Order(BlockVersion block, boolean pinned, BooleanSupplier stillWanted, Consumer<MoveResult> done) {}

    private final LocalTier tier;
    private final LongSupplier nanoClock;
    private final LongConsumer sleepNs;
    private final BlockingQueue<Order> queue;
    private final List<AgentThread> workers = new ArrayList<>();
    private volatile boolean closed;

    /**
     * Starts no worker: somebody calls {@link #step}.
     *
     * @param nanoClock a monotonic clock
     * @param sleepNs waits that long
     */
    public CopyQueue(LocalTier tier, int queueLength, LongSupplier nanoClock, LongConsumer sleepNs) {
        this.tier = tier;
        this.nanoClock = nanoClock;
        this.sleepNs = sleepNs;
        this.queue = new ArrayBlockingQueue<>(queueLength);
    }

    /** Starts the workers; each makes its own {@link MemoryCopier}. */
    public CopyQueue(LocalTier tier, int threads, int queueLength, String name, Supplier<MemoryCopier> promotion) {
        this(tier, queueLength, System::nanoTime, LockSupport::parkNanos);
        for (int i = 0; i < threads; i++) {
            MemoryCopier own = promotion.get();
            AgentThread worker =
                    new AgentThread("terrace-copy-" + i + "-" + name, nowNs -> waitAndStep(own), 0, nanoClock);
            workers.add(worker.start());
        }
    }

    /** Takes an order, or refuses it. */
    public void submit(Order order) {
        if (closed) {
            order.done().accept(MoveResult.of(MoveOutcome.REFUSED, "shutting down"));
        } else if (!queue.offer(order)) {
            order.done().accept(MoveResult.of(MoveOutcome.REFUSED, "too many orders wait"));
        }
    }

    /** Orders that wait. */
    public int waiting() {
        return queue.size();
    }

    /** As {@link #step}, but waits a while for an order. */
    private int waitAndStep(MemoryCopier memoryCopier) throws InterruptedException {
        Order order = queue.poll(1, TimeUnit.SECONDS);
        if (order == null) {
            return 0;
        }
        answer(order, memoryCopier);
        return 1;
    }

    /** Carries out the order that waits for longest; false when there is none. */
    public boolean step(MemoryCopier memoryCopier) {
        Order order = queue.poll();
        if (order != null) {
            answer(order, memoryCopier);
        }
        return order != null;
    }

    /** An order that is not answered is never sent again, so each is, however it ends. */
    private void answer(Order order, MemoryCopier memoryCopier) {
        MoveResult result;
        try {
            result = carryOut(order, memoryCopier);
        } catch (RuntimeException e) {
            LOG.error("Cannot copy {} to memory", order.block().key(), e);
            result = MoveResult.of(MoveOutcome.FAILED, String.valueOf(e));
        } catch (Error e) {
            try {
                order.done().accept(ERROR);
            } catch (RuntimeException | Error again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        order.done().accept(result);
    }

    private MoveResult carryOut(Order order, MemoryCopier memoryCopier) {
        long deadlineNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(ROOM_WAIT_MS);
        while (true) {
            if (closed || !order.stillWanted().getAsBoolean()) {
                return MoveResult.of(MoveOutcome.REFUSED, "no longer wanted");
            }
            MoveResult result = memoryCopier.run(order.block(), order.pinned());
            if (result != ExtentPublisher.ROOM_SOON || nanoClock.getAsLong() - deadlineNs >= 0) {
                return result;
            }
            tier.sweep(nanoClock.getAsLong());
            sleepNs.accept(ROOM_POLL_NS);
        }
    }

    /** Stops without waiting for copies to end; orders that wait are not answered. */
    @Override
    public void close() {
        closed = true;
        queue.clear();
        // The interrupt closes the channel of a running copy, which is abandoned; the tier closes next.
        workers.forEach(worker -> worker.stop(true));
        workers.forEach(worker -> worker.close(false, STOP_WAIT_MS));
    }
}
