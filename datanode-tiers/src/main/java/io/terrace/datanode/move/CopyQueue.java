package io.terrace.datanode.move;

import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Carries out orders to copy blocks to memory, a bounded number at a time from a bounded queue.
 *
 * <p>An order that does not fit into the queue is refused at once. An order whose room is about to be freed waits for it,
 * for {@value #ROOM_WAIT_MS} ms at most.
 */
public final class CopyQueue implements Closeable {

    private static final long ROOM_WAIT_MS = 1_500;
    private static final long ROOM_POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * An order to make a copy.
     *
     * @param stillWanted asked when its turn comes: an order of an earlier epoch or an ended pin is not
     * @param done hears once how it ended, on a worker's thread
     */
    public record Order(BlockVersion block, boolean pinned, BooleanSupplier stillWanted, Consumer<MoveResult> done) {}

    private final LocalTier tier;
    private final LongSupplier nanoClock;
    private final LongConsumer sleepNs;
    private final OrderQueue<Order, MemoryCopier> orders;

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
        this.orders = new OrderQueue<>(
                queueLength,
                order -> "copy " + order.block().key() + " to memory",
                this::carryOut,
                (order, result) -> order.done().accept(result));
    }

    /** Starts the workers; each makes its own {@link MemoryCopier}. */
    public CopyQueue(LocalTier tier, int threads, int queueLength, String name, Supplier<MemoryCopier> promotion) {
        this(tier, queueLength, System::nanoTime, LockSupport::parkNanos);
        orders.start(threads, "copy", name, promotion, nanoClock);
    }

    /** Takes an order, or refuses it. */
    public void submit(Order order) {
        orders.submit(order, "too many orders wait");
    }

    /** Orders that wait. */
    public int waiting() {
        return orders.waiting();
    }

    /** Carries out the order that waits for longest; false when there is none. */
    public boolean step(MemoryCopier memoryCopier) {
        return orders.step(memoryCopier);
    }

    private MoveResult carryOut(Order order, MemoryCopier memoryCopier) {
        long deadlineNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(ROOM_WAIT_MS);
        while (true) {
            if (orders.isClosed() || !order.stillWanted().getAsBoolean()) {
                return MoveResult.of(
                        MoveOutcome.REFUSED,
                        "cancelled: its pin ended, another NameNode is active, or this DataNode stops");
            }
            MoveResult result = memoryCopier.run(order.block(), order.pinned());
            if (result != ExtentPublisher.ROOM_SOON || nanoClock.getAsLong() - deadlineNs >= 0) {
                return result;
            }
            tier.sweep(nanoClock.getAsLong());
            sleepNs.accept(ROOM_POLL_NS);
        }
    }

    /** Interrupts copies that are being made; orders that wait are not answered. */
    @Override
    public void close() {
        // A copy in the making fails with its interrupted channel and is abandoned, as the whole tier is about to be.
        orders.close();
    }
}
