package io.terrace.client.remote;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ResidentBlocks;
import io.terrace.channel.tcp.PooledTcpExtent;
import io.terrace.channel.tcp.TcpConnectionPool;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.NativeChunkVerifier;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.verbs.VerbsExtent;
import io.terrace.client.ClientConfig;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one DataNode: one over tcp on which both sides have introduced themselves, more beside it while
 * that is busy, and one by RDMA where the DataNode offers that. Thread-safe but for {@link #receive}, which belongs to
 * one thread at a time.
 */
final class RemoteConnection {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteConnection.class);

    private final TcpLink link;
    private final TcpConnectionPool connections;
    private final @Nullable VerbsConnector verbs;

    private RemoteConnection(TcpConnectionPool connections, @Nullable VerbsConnector verbs) {
        this.link = connections.first();
        this.connections = connections;
        this.verbs = verbs;
    }

    /**
     * Connects, and waits for what the DataNode says it has in memory.
     *
     * @throws IOException when there is none in time, or it is another DataNode
     */
    static RemoteConnection to(
            String uuid,
            InetSocketAddress address,
            ClientConfig.Remote settings,
            String clientName,
            MetricRegistry metricRegistry)
            throws IOException {
        long deadlineNs = System.nanoTime() + settings.connectTimeoutNs();
        TcpLink link =
                TcpLink.connect(address, TcpLimits.DEFAULT, NativeChunkVerifier::of, settings.connectTimeoutNs());
        try {
            send(link, new Message.Hello(clientName), deadlineNs);
            if (!(receive(link, deadlineNs) instanceof Message.Welcome welcome)
                    || !welcome.datanode().equals(uuid)) {
                throw new MalformedMessageException(address + " is not DataNode " + uuid);
            }
            // The list of resident blocks follows the welcome.
            while (link.resident() == ResidentBlocks.NONE && deadlineNs - System.nanoTime() > 0 && !link.hasEnded()) {
                ByteBuffer unused = link.receive(TimeUnit.MILLISECONDS.toNanos(1));
            }
            TcpConnectionPool connections =
                    new TcpConnectionPool(link, settings.connectionsMax(), settings.connectTimeoutNs());
            return new RemoteConnection(connections, VerbsConnector.at(welcome.links(), settings, metricRegistry));
        } catch (IOException | RuntimeException e) {
            close(link);
            throw e;
        }
    }

    boolean hasEnded() {
        return link.hasEnded();
    }

    /** Whether the DataNode said anything since a time by {@link System#nanoTime}, so that what is late is late alone. */
    boolean hasHeardSince(long nanoTime) {
        return link.hasHeardSince(nanoTime);
    }

    /** Whether the DataNode says where its RDMA channel is. */
    boolean offersVerbs() {
        return verbs != null;
    }

    /** Takes in what the DataNode told while nobody waited; never waits. */
    void pollInput() {
        connections.pollInput();
    }

    /** What it said last of the blocks it has. */
    ResidentBlocks resident() {
        return link.resident();
    }

    /**
     * The range over tcp, and by RDMA where that leads there.
     *
     * @param endsNs when the lease of its grant ends
     */
    RemoteExtent attach(
            RegionKey key, ClientConfig.Remote settings, MetricRegistry metricRegistry, long endsNs, long deadlineNs)
            throws IOException {
        PooledTcpExtent tcp = connections.attach(key, deadlineNs - System.nanoTime());
        long leftNs = Math.min(settings.timeoutNs(), deadlineNs - System.nanoTime());
        // What is late because tcp took nearly all of the time would be taken for a fault of RDMA.
        boolean inTime = leftNs > settings.timeoutNs() / 2;
        VerbsExtent region = verbs == null || !inTime ? null : verbs.attach(key, leftNs);
        return verbs != null && region != null && region.isUsable()
                ? new VerbsFirstExtent(region, tcp, verbs.readPause(), endsNs, metricRegistry)
                : tcp;
    }

    void send(Message message, long deadlineNs) throws IOException {
        send(link, message, deadlineNs);
    }

    Message receive(long deadlineNs) throws IOException {
        return receive(link, deadlineNs);
    }

    void close() {
        close(connections);
        if (verbs != null) {
            verbs.close();
        }
    }

    private static void send(TcpLink to, Message message, long deadlineNs) throws IOException {
        to.send(MessageCodec.encode(message).position(Integer.BYTES), deadlineNs - System.nanoTime());
    }

    private static Message receive(TcpLink from, long deadlineNs) throws IOException {
        while (true) {
            ByteBuffer message = from.receive(Math.max(1, deadlineNs - System.nanoTime()));
            if (message != null) {
                return MessageCodec.decode(message);
            }
            if (deadlineNs - System.nanoTime() <= 0) {
                throw new SocketTimeoutException("no answer in time");
            }
        }
    }

    private static void close(Closeable channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing a tcp channel", e);
        }
    }
}
