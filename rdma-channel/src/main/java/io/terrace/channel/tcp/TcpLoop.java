package io.terrace.channel.tcp;

import io.terrace.channel.MalformedMessageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that serves the connections it was given: reads from extents are reads of memory, so nobody waits long for
 * another's.
 */
final class TcpLoop implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpLoop.class);
    private static final long TICK_MS = 250;

    /** Larger pieces cost fewer calls; beyond this nothing was gained on loopback. */
    private static final int STAGING_BYTES = 256 * 1024;

    private final TcpListener listener;
    private final TcpLimits limits;
    private final Selector selector = Selector.open();
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES);
    private final Set<TcpSession> sessions = new HashSet<>();
    private final Queue<Runnable> todo = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private long sweptNs;
    private volatile boolean closing;

    TcpLoop(String name, TcpListener listener, TcpLimits limits) throws IOException {
        this.listener = listener;
        this.limits = limits;
        this.sweptNs = System.nanoTime();
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Serves the session from now on. */
    void adopt(TcpSession session) {
        onLoop(() -> {
            try {
                session.channel.configureBlocking(false);
                session.channel.register(selector, SelectionKey.OP_READ, session);
                sessions.add(session);
            } catch (IOException | RuntimeException e) {
                LOG.debug("Cannot serve connection {}", session.number, e);
                finish(session);
            }
        });
    }

    void send(TcpSession session, Answer answer) {
        onLoop(() -> {
            if (!session.ended) {
                session.output.add(answer);
                step(session, System.nanoTime());
            }
        });
    }

    /** Takes up the session's input again. */
    void resume(TcpSession session) {
        onLoop(() -> {
            if (!session.ended) {
                session.takeInput();
                step(session, System.nanoTime());
            }
        });
    }

    void end(TcpSession session) {
        onLoop(() -> finish(session));
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

    private void onLoop(Runnable work) {
        todo.add(work);
        selector.wakeup();
    }

    private void run() {
        try {
            while (!closing) {
                selector.select(TICK_MS);
                long nowNs = System.nanoTime();
                doTodo();
                for (SelectionKey key : selector.selectedKeys()) {
                    serve((TcpSession) key.attachment(), key, nowNs);
                }
                selector.selectedKeys().clear();
                sweep(nowNs);
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("A thread of the tcp channel ended; its clients read through stock HDFS", e);
        } finally {
            closing = true;
            doTodo();
            for (TcpSession session : Set.copyOf(sessions)) {
                finish(session);
            }
            try {
                selector.close();
            } catch (IOException e) {
                LOG.warn("Cannot close a selector", e);
            }
        }
    }

    private void doTodo() {
        for (Runnable work = todo.poll(); work != null; work = todo.poll()) {
            work.run();
        }
    }

    private void serve(TcpSession session, SelectionKey key, long nowNs) {
        try {
            if (key.isReadable() && !session.readInput(nowNs)) {
                finish(session);
                return;
            }
            step(session, nowNs);
        } catch (IOException | CancelledKeyException e) {
            LOG.debug("Lost connection {}", session.number, e);
            finish(session);
        }
    }

    /** Answers what is asked and writes what can be written, until the socket or the client's limit says stop. */
    private void step(TcpSession session, long nowNs) {
        try {
            boolean wasFull;
            do {
                session.takeRequests();
                wasFull = session.output.isFull();
            } while (session.output.flush(staging, nowNs) && wasFull);
            SelectionKey key = session.channel.keyFor(selector);
            if (key != null && key.isValid() && key.interestOps() != session.interest()) {
                key.interestOps(session.interest());
            }
        } catch (MalformedMessageException e) {
            LOG.info("Cut connection {}: {}", session.number, e.getMessage());
            finish(session);
        } catch (IOException | RuntimeException e) {
            LOG.debug("Lost connection {}", session.number, e);
            finish(session);
        }
    }

    private void sweep(long nowNs) {
        if (nowNs - sweptNs < TimeUnit.MILLISECONDS.toNanos(TICK_MS)) {
            return;
        }
        sweptNs = nowNs;
        long requestNs = TimeUnit.MILLISECONDS.toNanos(limits.requestTimeoutMs());
        long idleNs = TimeUnit.MILLISECONDS.toNanos(limits.idleTimeoutMs());
        for (TcpSession session : Set.copyOf(sessions)) {
            boolean silent = listener.wantsRequests() && session.isSilent(nowNs, requestNs);
            boolean half = session.hasPartialInput() && session.takesInput() && nowNs - session.lastInputNs > requestNs;
            boolean stuck = session.output.isStuck(nowNs, requestNs);
            boolean idle = nowNs - session.lastInputNs > idleNs;
            if (silent || half || stuck || idle) {
                LOG.debug(
                        "Cut connection {}: silent {}, half a request {}, stuck {}, idle {}",
                        session.number,
                        silent,
                        half,
                        stuck,
                        idle);
                finish(session);
            }
        }
    }

    private void finish(TcpSession session) {
        if (session.ended) {
            return;
        }
        sessions.remove(session);
        session.end();
        try {
            session.channel.close();
        } catch (IOException e) {
            LOG.debug("Closing connection {}", session.number, e);
        }
        listener.ended(session);
    }
}
