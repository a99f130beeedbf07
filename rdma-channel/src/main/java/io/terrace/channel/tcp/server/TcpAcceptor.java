package io.terrace.channel.tcp.server;

import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that takes connections in, for as long as the listening socket is open. */
final class TcpAcceptor implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpAcceptor.class);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ServerSocketChannel server;
    private final String address;
    private final Taker taker;
    private final Thread thread;
    private final LogThrottle failures = LogThrottle.once();

    /** Who has a connection from then on; one that it throws for is closed. */
    interface Taker {
        void take(SocketChannel channel) throws IOException;
    }

    /** @param server bound; {@link #close} closes it */
    TcpAcceptor(ServerSocketChannel server, String address, Taker taker) {
        this.server = server;
        this.address = address;
        this.taker = taker;
        this.thread = new Thread(this::run, "terrace-tcp-" + address + "-accept");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void run() {
        try {
            while (true) {
                acceptOne();
            }
        } catch (ClosedChannelException e) {
            LOG.debug("{} closed", address);
        } finally {
            // Whoever connects must not wait for a thread that is no more.
            closeServer();
        }
    }

    private void acceptOne() throws ClosedChannelException {
        SocketChannel channel;
        try {
            channel = server.accept();
            failures.reset();
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            // Without a free file descriptor it fails at once, again and again, until others give theirs back.
            if (failures.first()) {
                LOG.warn("Cannot take connections in at {} for now", address, e);
            }
            LockSupport.parkNanos(PAUSE_NS);
            return;
        }
        try {
            taker.take(channel);
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("Cannot take a connection in", e);
            close(channel);
        }
    }

    private void closeServer() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.warn("Cannot stop listening at {}", address, e);
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection", e);
        }
    }
}
