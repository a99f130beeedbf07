package io.terrace.channel.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls of one client in their order, one at a time, so that no client keeps the workers from others. Work of the
 * server's own for this client runs between them. Where many calls wait, or large ones, the client's input is paused. A
 * call that is next may still have to wait for something else: the server's own work goes on meanwhile. Thread-safe.
 */
final class SerialExecutor {
    /** An honest client asks for one grant at a time, but gives many back. */
    static final int MOST_WAITING = 64;

    /** Of their messages as they came; they take about twice as much while they wait. */
    static final int MOST_WAITING_BYTES = 128 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    /** Something that the client asks for. */
    interface Call {
        void run();

        /**
         * Called on a worker when it is next in its client's order.
         *
         * @param turn what runs it; to be run once, when it may, by a worker
         */
        default void whenNext(Runnable turn) {
            turn.run();
        }
    }

    private record Waiting(Call call, int messageBytes) {}

    private final Executor workers;
    private final GrantDispatcher.Session session;
    private final int mostWaiting;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** What the server does for the client by itself, when that came while something ran. */
    private final Deque<Runnable> own = new ArrayDeque<>(1);

    private int waitingBytes;
    private boolean running;
    /** A worker will come. */
    private boolean scheduled;

    private boolean inputWaits;

    /** @param mostWaiting calls; with so many the input is paused, until fewer than half as many wait */
    SerialExecutor(Executor workers, GrantDispatcher.Session session, int mostWaiting) {
        this.workers = workers;
        this.session = session;
        this.mostWaiting = mostWaiting;
    }

    /**
     * Runs it on a worker in its turn. On the thread that brings the session's messages.
     *
     * @param messageBytes length of the message that asks for it
     */
    void add(Call call, int messageBytes) {
        synchronized (this) {
            waiting.add(new Waiting(call, messageBytes));
            waitingBytes += messageBytes;
            if (waiting.size() >= mostWaiting || waitingBytes >= MOST_WAITING_BYTES) {
                inputWaits = true;
                session.pauseInput();
            }
        }
        schedule();
    }

    /** Runs it here and now; or, when something runs for this client, on that thread right afterwards. Never waits. */
    void runSoon(Runnable work) {
        synchronized (this) {
            if (running) {
                own.add(work);
                return;
            }
            running = true;
        }
        run(work);
        goOn();
    }

    /** Drops the calls that wait, and runs this as {@link #runSoon} does. */
    void end(Runnable last) {
        synchronized (this) {
            waiting.clear();
        }
        runSoon(last);
    }

    /** Has a worker run what is next; without the lock, which the worker takes at once. */
    private void schedule() {
        Call next = nextToSchedule();
        if (next == null) {
            return;
        }
        try {
            workers.execute(() -> next(next));
        } catch (RejectedExecutionException e) {
            LOG.debug("The server closes, calls of {} are not answered", session.peer(), e);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                scheduled = false;
            }
            throw e;
        }
    }

    private synchronized @Nullable Call nextToSchedule() {
        if (running || scheduled || waiting.isEmpty()) {
            return null;
        }
        scheduled = true;
        return waiting.element().call;
    }

    private void next(Call call) {
        try {
            call.whenNext(this::runOne);
        } catch (RuntimeException | Error e) {
            // Otherwise the calls behind it would wait forever.
            LOG.error("Cut the connection of {}, whose calls cannot be answered", session.peer(), e);
            session.close();
        }
    }

    private void runOne() {
        Waiting next;
        synchronized (this) {
            scheduled = false;
            if (running) {
                return;
            }
            next = waiting.poll();
            if (next == null) {
                return;
            }
            waitingBytes -= next.messageBytes;
            running = true;
        }
        run(next.call::run);
        goOn();
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            // Calls behind one that never ends would wait forever.
            LOG.error("A call of {} failed", session.peer(), e);
        }
    }

    private void goOn() {
        for (Runnable next = nextOwn(); next != null; next = nextOwn()) {
            run(next);
        }
        boolean resume;
        synchronized (this) {
            resume = inputWaits && 2 * waiting.size() < mostWaiting && waitingBytes < MOST_WAITING_BYTES / 2;
            inputWaits &= !resume;
        }
        schedule();
        if (resume) {
            session.resumeInput();
        }
    }

    /** What runs next on this thread; when there is nothing, nothing runs any more. */
    private synchronized @Nullable Runnable nextOwn() {
        Runnable next = own.poll();
        running = next != null;
        return next;
    }
}
