package io.terrace.metrics;

import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP for one page, to whoever connects: one daemon thread that waits for nobody, few connections, each for one request and
 * a short time. Who comes when all places are taken gets that of who came first, so silent ones keep nobody out.
 */
final class HttpPageServer implements Closeable {

    /**
     * What strangers may take.
     *
     * @param connections at a time
     * @param timeoutNs for a whole request, and again for taking the answer
     */
    record Limits(int connections, long timeoutNs) {
        static final Limits DEFAULT = new Limits(16, TimeUnit.SECONDS.toNanos(5));
    }

    private static final Logger LOG = LoggerFactory.getLogger(HttpPageServer.class);
    private static final int BACKLOG = 16;
    private static final long LOOK_MS = 100;

    private final Limits limits;
    private final HttpPageConnection.Page page;
    private final Selector selector = Selector.open();
    private final ServerSocketChannel listening = ServerSocketChannel.open();
    private final Set<HttpPageConnection> connections = new LinkedHashSet<>();
    private final Thread thread;
    private volatile int open;
    private volatile boolean closed;

    /**
     * Listens.
     *
     * @param text made anew for each request
     */
    HttpPageServer(InetSocketAddress where, String path, String contentType, Supplier<String> text, Limits limits)
            throws IOException {
        this.limits = limits;
        this.page = new HttpPageConnection.Page(path, contentType, text);
        try {
            listening.bind(where, BACKLOG);
            listening.configureBlocking(false);
            SelectionKey unused = listening.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException | RuntimeException e) {
            closeAll();
            throw e;
        }
        this.thread = new Thread(this::turnUntilClosed, "terrace-metrics");
        this.thread.setDaemon(true);
        this.thread.start();
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listening.getLocalAddress();
    }

    /** Connections that are open. */
    int connections() {
        return open;
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void turnUntilClosed() {
        LogThrottle failures = LogThrottle.once();
        while (!closed) {
            try {
                turn();
                failures.reset();
            } catch (IOException | RuntimeException | Error e) {
                // As when no file descriptor is free: it will be the same for a while, and one line says so.
                if (failures.first()) {
                    LOG.warn("Figures cannot be shown for now", e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
            }
        }
        closeAll();
    }

    private void turn() throws IOException {
        selector.select(LOOK_MS);
        long nowNs = System.nanoTime();
        Set<SelectionKey> selected = selector.selectedKeys();
        for (SelectionKey key : selected) {
            if (key.attachment() instanceof HttpPageConnection connection) {
                connection.serve(page, nowNs);
            }
        }
        boolean somebody = selected.stream().anyMatch(key -> key.attachment() == null);
        selected.clear();
        connections.removeIf(connection -> connection.isOver(nowNs, limits.timeoutNs()) && end(connection));
        if (somebody) {
            accept(nowNs);
        }
        open = connections.size();
    }

    private void accept(long nowNs) throws IOException {
        SocketChannel channel = listening.accept();
        if (channel == null) {
            return;
        }
        Iterator<HttpPageConnection> oldest = connections.iterator();
        if (connections.size() >= limits.connections() && end(oldest.next())) {
            oldest.remove();
        }
        try {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            HttpPageConnection connection = new HttpPageConnection(channel, key, nowNs);
            key.attach(connection);
            connections.add(connection);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static boolean end(HttpPageConnection connection) {
        connection.close();
        return true;
    }

    private void closeAll() {
        connections.forEach(HttpPageConnection::close);
        connections.clear();
        open = 0;
        try (selector;
                listening) {
            LOG.debug("Figures are shown no more");
        } catch (IOException e) {
            LOG.warn("The port of the figures cannot be closed", e);
        }
    }
}
