package io.terrace.channel.server;

import io.terrace.channel.tcp.server.TcpSession;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one client that want a worker, and what the server does for it by itself. One of all these runs at a time,
 * and the client's in their order, so that nobody keeps the workers from others; where many wait, or large ones, the client's
 * input waits too. A call whose turn has come may have to wait for something else: what the server does by itself goes on
 * meanwhile. Thread-safe.
 */
final class SerialExecutor {
    /** An honest client asks for one grant at a time, but gives many back. */
    static final int MOST_WAITING = 64;

    /** Of their messages as they came; they take about twice as much while they wait. */
    static final int MOST_WAITING_BYTES = 128 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    /** Something that the client wants. */
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
    private final TcpSession session;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** What the server does for the client by itself, when that came while something ran. */
    private final Deque<Runnable> own = new ArrayDeque<>(1);

    private int waitingBytes;
    private boolean running;
    /** A worker will come. */
    private boolean scheduled;

    private boolean inputWaits;

    SerialExecutor(Executor workers, TcpSession session) {
        this.workers = workers;
        this.session = session;
    }

    /**
     * Runs it on a worker in its turn. On the loop of the session.
     *
     * @param messageBytes of what the client said
     */
    synchronized void add(Call call, int messageBytes) {
        waiting.add(new Waiting(call, messageBytes));
        waitingBytes += messageBytes;
        if (waiting.size() >= MOST_WAITING || waitingBytes >= MOST_WAITING_BYTES) {
            inputWaits = true;
            session.pauseInput();
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

    private void schedule() {
        if (running || scheduled || waiting.isEmpty()) {
            return;
        }
        try {
            Call next = waiting.element().call;
            workers.execute(() -> next(next));
            scheduled = true;
        } catch (RejectedExecutionException e) {
            // The server closes.
            waiting.clear();
        }
    }

    private void next(Call call) {
        try {
            call.whenNext(this::runOne);
        } catch (RuntimeException | Error e) {
            // What comes behind it would wait for good.
            LOG.error("Cut connection {}, whose calls cannot be answered", session.number, e);
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
            // Whatever it was: what comes behind something that never ended would wait for good.
            LOG.error("A call of connection {} failed", session.number, e);
        }
    }

    private void goOn() {
        for (Runnable next = nextOwn(); next != null; next = nextOwn()) {
            run(next);
        }
        boolean resume;
        synchronized (this) {
            resume = inputWaits && waiting.size() < MOST_WAITING / 2 && waitingBytes < MOST_WAITING_BYTES / 2;
            inputWaits &= !resume;
            schedule();
        }
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
