package io.terrace.channel.tcp.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.common.DaemonThreads;
import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the connections that it was given, on one thread: a read from an extent is a read of memory, so no connection
 * waits long for another's.
 *
 * <p>No {@link io.terrace.common.AgentThread} runs it: that parks and goes on after any failure, while this waits in its
 * selector, and its connections must end when the selector has failed.
 */
public final class TcpLoop implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpLoop.class);
    private static final long TICK_MS = 250;
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Larger pieces cost fewer calls; beyond this nothing was gained on loopback. */
    private static final int STAGING_BYTES = 256 * 1024;

    private final TcpListener listener;
    private final TcpLimits limits;
    private final Selector selector = Selector.open();
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES);

    /** For whoever is read from: what is left of it in the end is little, and each keeps that itself. */
    private final ByteBuffer input = ByteBuffer.allocateDirect(TcpFrame.MAX_REQUEST_BYTES);

    private final Set<TcpSession> sessions = new HashSet<>();
    private final Queue<Work> todo = new ConcurrentLinkedQueue<>();
    private final LogThrottle told = new LogThrottle(TELL_NS);
    private final Thread thread;
    private long sweptNs;
    private volatile boolean closing;
    private volatile boolean over;

    /** What another thread wants of a session; it ends the session if it fails. */
    private record Work(TcpSession session, Step step) {}

    private interface Step {
        void run() throws IOException;
    }

    TcpLoop(String name, TcpListener listener, TcpLimits limits) throws IOException {
        this.listener = listener;
        this.limits = limits;
        this.sweptNs = System.nanoTime();
        this.thread = DaemonThreads.make(name, this::run);
    }

    void start() {
        thread.start();
    }

    /** Serves the session from now on. */
    void adopt(TcpSession session) {
        onLoop(session, () -> {
            session.channel.configureBlocking(false);
            session.channel.register(selector, SelectionKey.OP_READ, session);
            sessions.add(session);
        });
    }

    void send(TcpSession session, TcpResponse tcpResponse) {
        onLoop(session, () -> {
            if (!session.ended) {
                session.output.add(tcpResponse);
                step(session, System.nanoTime());
            }
        });
    }

    /** Sends what was not asked for; where more than so many bytes of that wait already, it ends the session. */
    void tell(TcpSession session, TcpResponse.Unasked frame, long mostBytes) {
        onLoop(session, () -> {
            if (session.ended) {
                return;
            }
            if (session.output.addUnasked(frame, mostBytes)) {
                step(session, System.nanoTime());
            } else {
                tellCut(session, "it takes no news");
                cut(session);
            }
        });
    }

    /** Takes up the session's input again. */
    void resume(TcpSession session) {
        onLoop(session, () -> {
            if (!session.ended) {
                session.takeInput();
                step(session, System.nanoTime());
            }
        });
    }

    void end(TcpSession session) {
        onLoop(session, () -> finish(session));
    }

    /** Serves a session no more whose client writes from now on. */
    void handOver(TcpSession session) {
        onLoop(session, () -> {
            if (session.ended) {
                return;
            }
            SelectionKey key = session.channel.keyFor(selector);
            if (key != null) {
                key.cancel();
                // A channel can only block when no selector has it.
                int unused = selector.selectNow();
            }
            session.channel.configureBlocking(true);
            listener.handOver(session, session.takeEarly());
            synchronized (this) {
                session.ended = true;
                sessions.remove(session);
            }
        });
    }

    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void onLoop(TcpSession session, Step step) {
        todo.add(new Work(session, step));
        if (over) {
            finishTodo();
        } else {
            selector.wakeup();
        }
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (IOException | ClosedSelectorException e) {
            LOG.error("A thread of the tcp channel ended; its clients connect anew", e);
        } finally {
            listener.ended(this);
            over = true;
            finishTodo();
            for (TcpSession session = anySession(); session != null; session = anySession()) {
                finish(session);
            }
            try {
                selector.close();
            } catch (IOException e) {
                LOG.warn("Cannot close a selector", e);
            }
        }
    }

    private void turn() throws IOException {
        try {
            selector.select(TICK_MS);
            long nowNs = System.nanoTime();
            doTodo();
            for (SelectionKey key : selector.selectedKeys()) {
                serve((TcpSession) key.attachment(), key, nowNs);
            }
            selector.selectedKeys().clear();
            sweep(nowNs);
        } catch (ClosedSelectorException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            // Without memory it may come again at once; it is no reason to leave every client of this thread alone.
            LOG.error("A turn of a thread of the tcp channel failed", e);
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void doTodo() {
        for (Work work = todo.poll(); work != null; work = todo.poll()) {
            try {
                work.step.run();
            } catch (IOException | RuntimeException | Error e) {
                failed(work.session, e);
            }
        }
    }

    /** What came when nobody serves any more: on this loop's thread at its end, afterwards on whichever brings it. */
    private synchronized void finishTodo() {
        for (Work work = todo.poll(); work != null; work = todo.poll()) {
            finish(work.session);
        }
    }

    private synchronized @Nullable TcpSession anySession() {
        Iterator<TcpSession> left = sessions.iterator();
        return left.hasNext() ? left.next() : null;
    }

    private void serve(TcpSession session, SelectionKey key, long nowNs) {
        try {
            if (key.isWritable()) {
                session.output.writable();
            }
            if (key.isReadable() && session.takesInput() && !session.readInput(input, nowNs)) {
                finish(session);
                return;
            }
            step(session, nowNs);
        } catch (IOException | RuntimeException | Error e) {
            failed(session, e);
        }
    }

    /** Answers what is asked and writes what can be written, until the socket or the client's limit says stop. */
    private void step(TcpSession session, long nowNs) throws IOException {
        boolean wasFull;
        do {
            session.takeRequests(nowNs);
            wasFull = session.output.isFull();
        } while (session.output.flush(staging, nowNs) && wasFull);
        SelectionKey key = session.channel.keyFor(selector);
        if (key != null && key.isValid() && key.interestOps() != session.interest()) {
            key.interestOps(session.interest());
        }
    }

    private void failed(TcpSession session, Throwable why) {
        if (why instanceof MalformedMessageException) {
            tellCut(session, why.getMessage());
            listener.cut();
        } else if (why instanceof IOException || why instanceof CancelledKeyException) {
            LOG.debug("Lost connection {}", session.number, why);
        } else {
            LOG.error("Cut connection {}, which could not be served", session.number, why);
        }
        finish(session);
    }

    /** A client can connect and be cut as often as it likes: each cut is counted, few are logged. */
    private void tellCut(TcpSession session, @Nullable String why) {
        Long others = told.next(System.nanoTime());
        if (others != null) {
            LOG.info(
                    "Cut connection {} of {}: {} (and {} others before it)",
                    session.number,
                    session.peerAddress,
                    why,
                    others);
        }
    }

    private void cut(TcpSession session) {
        listener.cut();
        finish(session);
    }

    private void sweep(long nowNs) {
        if (nowNs - sweptNs < TimeUnit.MILLISECONDS.toNanos(TICK_MS)) {
            return;
        }
        sweptNs = nowNs;
        long requestNs = TimeUnit.MILLISECONDS.toNanos(limits.requestTimeoutMs());
        long idleNs = TimeUnit.MILLISECONDS.toNanos(limits.idleTimeoutMs());
        long answerNs = TimeUnit.MILLISECONDS.toNanos(limits.answerTimeoutMs());
        for (TcpSession session : Set.copyOf(sessions)) {
            String late = null;
            if (session.isSilent(nowNs, requestNs)) {
                late = "no request in " + limits.requestTimeoutMs() + " ms";
            } else if (session.isHalf(nowNs, requestNs)) {
                late = "half a request for " + limits.requestTimeoutMs() + " ms";
            } else if (session.output.isStuck(nowNs, requestNs)) {
                late = "it took nothing of a response for " + limits.requestTimeoutMs() + " ms";
            } else if (session.output.isBehind(nowNs, answerNs)) {
                late = "it did not take all of a response in " + limits.answerTimeoutMs() + " ms";
            }
            if (late != null) {
                tellCut(session, late);
                cut(session);
            } else if (nowNs - session.lastInputNs > idleNs) {
                LOG.debug("Connection {} is not used", session.number);
                finish(session);
            }
        }
    }

    private synchronized void finish(TcpSession session) {
        if (session.ended) {
            return;
        }
        session.ended = true;
        sessions.remove(session);
        try {
            session.channel.close();
        } catch (IOException e) {
            LOG.debug("Closing connection {}", session.number, e);
        }
        try {
            session.end();
        } catch (RuntimeException | Error e) {
            LOG.error("Cannot give back all that connection {} had", session.number, e);
        }
        try {
            listener.ended(session);
        } catch (RuntimeException | Error e) {
            LOG.error("Cannot tell that connection {} has ended", session.number, e);
        }
    }
}
