package io.terrace.channel.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves many channels on one thread. Each turn does what other threads want done, then serves the channels that are ready,
 * and sweeps over all now and then.
 *
 * <p>Whatever one step throws, an {@link Error} too, ends the channel that it was about and no other. One thread turns; any
 * thread may call {@link #add} and {@link #wakeup}.
 *
 * <p>No {@link io.terrace.common.AgentThread} runs it: that parks and goes on after any failure, while this waits in its
 * selector, and its server must end when the selector has failed.
 */
final class EventLoop implements Closeable {

    /** What is done with the channels; called by the thread that turns. */
    interface Steps {
        /** A channel is ready. */
        void serve(SelectionKey key, long nowNs) throws IOException;

        /** The step of a channel failed. */
        void failed(SelectionKey key, Throwable why);

        void sweep(long nowNs);
    }

    static final long TICK_MS = 250;

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(TICK_MS);

    /** More waits for the next turn, so that work without end keeps no channel waiting. */
    private static final int MOST_TODO_A_TURN = 1024;

    /** Something that may fail with whatever it likes. */
    interface Step {
        void run() throws IOException;
    }

    private record Todo(SelectionKey key, Step work) {}

    private final Selector selector;
    private final Steps steps;
    private final Queue<Todo> todo = new ConcurrentLinkedQueue<>();
    private long sweptNs = System.nanoTime() - TICK_NS;

    EventLoop(Steps steps) throws IOException {
        this.selector = Selector.open();
        this.steps = steps;
    }

    /** Watches one more channel. */
    SelectionKey watch(SelectableChannel channel, int operations, @Nullable Object attachment) throws IOException {
        return channel.register(selector, operations, attachment);
    }

    /** Watches a channel no more, which may block then. On the thread that turns, within work that was added. */
    void unwatch(SelectionKey key) throws IOException {
        key.cancel();
        int unused = selector.selectNow();
    }

    /** Has something done about a channel on the thread that turns. */
    void add(SelectionKey key, Step work) {
        todo.add(new Todo(key, work));
        selector.wakeup();
    }

    void wakeup() {
        selector.wakeup();
    }

    /**
     * One turn, which waits for something to do.
     *
     * @throws IOException when the selector itself has failed
     */
    void turn() throws IOException {
        try {
            await();
            long nowNs = System.nanoTime();
            workOff();
            for (Iterator<SelectionKey> ready = selector.selectedKeys().iterator(); ready.hasNext(); ) {
                SelectionKey key = ready.next();
                ready.remove();
                step(key, () -> steps.serve(key, nowNs));
            }
            if (nowNs - sweptNs >= TICK_NS) {
                sweptNs = nowNs;
                steps.sweep(nowNs);
            }
        } catch (RuntimeException | Error e) {
            // Without memory the next turn fails as this one did.
            tell("A turn of the grant server failed", e);
            LockSupport.parkNanos(TICK_NS);
        }
    }

    private void await() throws IOException {
        if (todo.isEmpty()) {
            int unused = selector.select(TICK_MS);
        } else {
            int unused = selector.selectNow();
        }
    }

    private void workOff() {
        Todo next = todo.poll();
        for (int done = 1; next != null; done++) {
            step(next.key, next.work);
            next = done < MOST_TODO_A_TURN ? todo.poll() : null;
        }
    }

    private void step(SelectionKey key, Step step) {
        try {
            step.run();
        } catch (IOException | RuntimeException | Error e) {
            try {
                steps.failed(key, e);
            } catch (RuntimeException | Error worse) {
                tell("A client of the grant server cannot be ended", worse);
            }
        }
    }

    /** Without memory the log may fail too. */
    private static void tell(String what, Throwable why) {
        try {
            LOG.error(what, why);
        } catch (RuntimeException | Error e) {
            why.addSuppressed(e);
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
