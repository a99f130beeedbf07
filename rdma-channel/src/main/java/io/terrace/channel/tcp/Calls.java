package io.terrace.channel.tcp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one client that want a worker. One of them has a worker at a time, in their order, so that nobody keeps the
 * workers from others; where many wait, the client's input waits too. Thread-safe.
 */
final class Calls {
    /** An honest client asks for one grant at a time, but gives many back. */
    static final int MOST_WAITING = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

    private final Executor workers;
    private final TcpSession session;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean running;
    private boolean inputWaits;

    Calls(Executor workers, TcpSession session) {
        this.workers = workers;
        this.session = session;
    }

    /** On the loop of the session. */
    synchronized void add(Runnable call) {
        waiting.add(call);
        if (waiting.size() >= MOST_WAITING) {
            inputWaits = true;
            session.pauseInput();
        }
        if (!running) {
            running = true;
            runNext();
        }
    }

    private void runNext() {
        try {
            workers.execute(this::runOne);
        } catch (RejectedExecutionException e) {
            // The server closes.
            waiting.clear();
        }
    }

    private void runOne() {
        Runnable call;
        synchronized (this) {
            call = waiting.remove();
        }
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            // Whatever it was: calls behind one that never ended would wait for good.
            LOG.error("A call of connection {} failed", session.number, e);
        }
        goOn();
    }

    private synchronized void goOn() {
        if (inputWaits && waiting.size() < MOST_WAITING / 2) {
            inputWaits = false;
            session.resumeInput();
        }
        running = !waiting.isEmpty();
        if (running) {
            runNext();
        }
    }
}
