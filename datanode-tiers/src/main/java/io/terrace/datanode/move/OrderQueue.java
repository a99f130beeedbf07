package io.terrace.datanode.move;

import io.terrace.common.AgentThread;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Orders that wait in a bounded queue and are carried out by a few workers, the one that waits for longest first. Each
 * order is answered once, however it ends, unless the queue is closed while it waits. Thread-safe.
 *
 * @param <O> the orders
 * @param <T> what each worker has of its own, such as buffers
 */
final class OrderQueue<O, T> implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(OrderQueue.class);
    private static final long STOP_WAIT_MS = 10_000;
    /** Made before memory is short. */
    private static final MoveResult ERROR = MoveResult.of(MoveOutcome.FAILED, "an error, see the DataNode's log");

    private final BlockingQueue<O> queue;
    private final Function<O, String> description;
    private final BiFunction<O, T, MoveResult> action;
    private final BiConsumer<O, MoveResult> answer;
    private final List<AgentThread> workers = new ArrayList<>();
    private volatile boolean closed;

    /**
     * Starts no worker: somebody calls {@link #step}, or {@link #start}.
     *
     * @param description of an order, for the log
     * @param action carries an order out
     * @param answer tells how an order ended, on a worker's thread
     */
    OrderQueue(
            int length,
            Function<O, String> description,
            BiFunction<O, T, MoveResult> action,
            BiConsumer<O, MoveResult> answer) {
        this.queue = new ArrayBlockingQueue<>(length);
        this.description = description;
        this.action = action;
        this.answer = answer;
    }

    /**
     * Starts the workers.
     *
     * @param kind of the orders, and the DataNode's name: for the names of the threads
     */
    void start(int threads, String kind, String name, Supplier<T> tools, LongSupplier nanoClock) {
        for (int i = 0; i < threads; i++) {
            T own = tools.get();
            workers.add(
                    new AgentThread("terrace-" + kind + "-" + i + "-" + name, nowNs -> waitAndStep(own), 0, nanoClock)
                            .start());
        }
    }

    /** Takes an order, or answers that it is refused. */
    void submit(O order, String whenFull) {
        if (closed) {
            answer.accept(order, MoveResult.of(MoveOutcome.REFUSED, "shutting down"));
        } else if (!queue.offer(order)) {
            answer.accept(order, MoveResult.of(MoveOutcome.REFUSED, whenFull));
        }
    }

    /** Orders that wait. */
    int waiting() {
        return queue.size();
    }

    boolean isClosed() {
        return closed;
    }

    private int waitAndStep(T tool) throws InterruptedException {
        O order = queue.poll(1, TimeUnit.SECONDS);
        if (order == null) {
            return 0;
        }
        carryOut(order, tool);
        return 1;
    }

    /** Carries out the order that waits for longest; false when there is none. */
    boolean step(T tool) {
        O order = queue.poll();
        if (order != null) {
            carryOut(order, tool);
        }
        return order != null;
    }

    /** An order that is not answered is never sent again, so each is, however it ends. */
    private void carryOut(O order, T tool) {
        MoveResult result;
        try {
            result = action.apply(order, tool);
        } catch (RuntimeException e) {
            LOG.error("Cannot {}", description.apply(order), e);
            result = MoveResult.of(MoveOutcome.FAILED, String.valueOf(e));
        } catch (Error e) {
            try {
                answer.accept(order, ERROR);
            } catch (RuntimeException | Error again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        answer.accept(order, result);
    }

    /** Takes and begins no more orders; those that wait are not answered. */
    void stop() {
        closed = true;
        queue.clear();
    }

    /** Stops, interrupts the workers and waits for them a while. */
    @Override
    public void close() {
        stop();
        workers.forEach(worker -> worker.stop(true));
        workers.forEach(worker -> worker.close(false, STOP_WAIT_MS));
    }
}
