package io.terrace.channel.tcp.server;

import io.terrace.common.AgentThread;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on a thread of its own, for as long as the listening socket is open. Without a free file descriptor
 * it tries again and again, with pauses, until others give theirs back.
 */
final class TcpAcceptor implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpAcceptor.class);

    private final ServerSocketChannel server;
    private final Handler handler;
    private final AgentThread thread;

    /** Who has a connection from then on; one that it throws for is closed. */
    interface Handler {
        void take(SocketChannel channel) throws IOException;
    }

    /** @param server bound; {@link #close} closes it */
    TcpAcceptor(ServerSocketChannel server, String address, Handler handler) {
        this.server = server;
        this.handler = handler;
        this.thread = new AgentThread("terrace-tcp-" + address + "-accept", this::acceptOne, 0, System::nanoTime);
    }

    void start() {
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private int acceptOne(long nowNs) throws IOException {
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (ClosedChannelException e) {
            thread.stop(false);
            return 0;
        }
        try {
            handler.take(channel);
        } catch (IOException | RuntimeException | Error e) {
            LOG.warn("Cannot take a connection in", e);
            close(channel);
        }
        return 1;
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection", e);
        }
    }
}
