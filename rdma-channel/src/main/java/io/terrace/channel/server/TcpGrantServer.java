package io.terrace.channel.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.server.MessageHandler;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.WriteAcceptor;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the grants of a DataNode to clients of other hosts: tells them which blocks may be granted, has a {@link
 * GrantDispatcher} carry out what they ask for, and serves their reads.
 *
 * <p>The server itself holds the grants: a client has only the key of a range, which is void once the grant ends, so a
 * revocation needs no answer from it. What was read is counted here, where it is served.
 *
 * <p>Messages: HELLO (the client's name is {@code user/name}, a claim), answered by WELCOME, which has the address of
 * {@link OneSidedRanges} in place of the directory of links; ASK, answered by GRANTED, whose link name is the key of the
 * range, or REFUSED; RELEASE; REPORT of what was read by RDMA. Thread-safe.
 */
public final class TcpGrantServer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpGrantServer.class);

    /** Apart from the sessions of the same DataNode's Unix socket. */
    private static final long FIRST_SESSION = 1L << 62;

    private static final long CHANGES_MS = 50;
    private static final long REPORT_EVERY = 1000 / CHANGES_MS;

    /** Grants that are made at one time: each may wait for a disk. */
    private static final int GRANTING = 16;

    /** Changes that may wait for one client, beside everything that there is to tell. */
    private static final long LATE_CHANGES_BYTES = 1 << 20;

    private final String datanode;
    private final AnnouncedBlocks blocks;
    private final OneSidedRanges oneSided;
    private final MetricRegistry metricRegistry;
    private final TcpListener listener;
    private final GrantedRanges ranges;
    private final ResidencyBroadcast broadcast;
    private final Map<Long, TcpGrantSession> clients = new ConcurrentHashMap<>();
    private final GrantDispatcher<TcpGrantSession> dispatcher;
    private final ScheduledExecutorService ticker;
    private volatile WriteAcceptor writes = WriteAcceptor.NONE;
    private long ticks;

    /**
     * Listens for clients of other hosts.
     *
     * @param blocks what clients are told they may ask for
     * @param links where the owner makes the links that its grants name, unless they name absolute paths
     * @param checksumMaxBytes checksums of granted blocks held on the heap
     * @param oneSided another way to what is granted
     */
    public TcpGrantServer(
            SocketAddress where,
            String datanode,
            AnnouncedBlocks blocks,
            LinkDirectory links,
            GrantService owner,
            ChecksumSource checksums,
            long checksumMaxBytes,
            OneSidedRanges oneSided,
            TcpLimits limits,
            MetricRegistry metricRegistry)
            throws IOException {
        this.datanode = datanode;
        this.blocks = blocks;
        this.oneSided = oneSided;
        this.metricRegistry = metricRegistry;
        this.broadcast = new ResidencyBroadcast(blocks);
        String threadName = "terrace-tcp-grants-" + datanode;
        this.ticker = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named(threadName));
        ChecksumCache cache = new ChecksumCache(checksums, checksumMaxBytes, metricRegistry);
        this.listener = TcpListener.bind(where, limits, new Answers());
        this.ranges = new GrantedRanges(listener, links, owner, cache, oneSided, ticker);
        this.dispatcher = new GrantDispatcher<>(threadName, GRANTING, owner, ranges, metricRegistry);
        metricRegistry.gauge(Metric.CHANNEL_TCP_CONNECTIONS, listener::connections);
        metricRegistry.gauge(Metric.CHANNEL_TCP_CHECKSUM_BYTES, cache::heldBytes);
        listener.start();
        ticker.scheduleWithFixedDelay(this::tick, CHANGES_MS, CHANGES_MS, TimeUnit.MILLISECONDS);
    }

    public SocketAddress address() {
        return listener.address();
    }

    /** Whoever wants to write is served by this from now on. */
    public void serveWrites(WriteAcceptor acceptor) {
        writes = acceptor;
    }

    /** Whether the peer is a client of this server. */
    public boolean serves(Peer peer) {
        return peer.session() >= FIRST_SESSION;
    }

    /**
     * Ends a grant; the owner is told that it is released when the reads in progress have ended. Does not block.
     *
     * @param extentRetires whether nobody may read the extent any more; otherwise only this grant is one too many
     */
    public void revoke(Peer peer, long grantId, boolean extentRetires) {
        TcpGrantSession client = clients.get(peer.session());
        if (client != null) {
            metricRegistry.increment(Metric.CHANNEL_REVOKES);
            // A grant may be under way to the same client: the message follows it.
            ticker.execute(() -> client.calls.runSoon(() -> {
                if (extentRetires) {
                    ranges.retired(client, grantId);
                }
                ranges.released(client, grantId);
            }));
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        dispatcher.close();
        ticker.shutdown();
        try {
            if (!ticker.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("The timer of the tcp channel of {} did not end in time", datanode);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What comes over the connections, on the listener's loops. */
    private final class Answers implements MessageHandler {
        @Override
        public void message(TcpSession session, ByteBuffer bytes) throws MalformedMessageException {
            int messageBytes = bytes.remaining();
            take(session, MessageCodec.decode(bytes), messageBytes);
        }

        @Override
        public void writes(AcceptedConnection connection) throws IOException {
            writes.accept(connection);
        }

        @Override
        public void refused() {
            metricRegistry.increment(Metric.CHANNEL_CONNECTIONS_REFUSED);
        }

        @Override
        public void cut() {
            metricRegistry.increment(Metric.CHANNEL_PEERS_CUT);
        }

        @Override
        public void ended(TcpSession session) {
            TcpGrantSession client = clients.get(FIRST_SESSION + session.number);
            if (client != null) {
                // If this fails, the next tick tries again.
                disconnected(client);
            }
        }
    }

    private void take(TcpSession session, Message message, int messageBytes) throws MalformedMessageException {
        long number = FIRST_SESSION + session.number;
        TcpGrantSession client = clients.get(number);
        if (client == null) {
            if (!(message instanceof Message.Hello hello)) {
                throw new MalformedMessageException("the first message of a client is not Hello");
            }
            String user = hello.client().substring(0, Math.max(0, hello.client().indexOf('/')));
            if (clients.isEmpty()) {
                // Changes are not collected while no client is connected.
                tellChanges();
            }
            boolean sameHost = session.isOfThisHost();
            Peer peer = new Peer(
                    number, user, "", sameHost, hello.client(), sameHost ? Peer.THIS_HOST : session.peerHost());
            TcpGrantSession fresh = new TcpGrantSession(peer, session, dispatcher.workers());
            clients.put(number, fresh);
            fresh.send(new Message.Welcome(datanode, "", blocks.incarnation(), oneSided.where()));
            tellEverything(session);
        } else {
            dispatcher.received(client, message, messageBytes);
        }
    }

    private void tick() {
        try {
            ticks++;
            if (!clients.isEmpty()) {
                tellChanges();
            }
        } catch (RuntimeException | Error e) {
            LOG.error("The tcp channel of {} cannot announce changes", datanode, e);
        }
        try {
            if (ticks % REPORT_EVERY == 0) {
                clients.values().forEach(this::lookAfter);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("A turn of the tcp channel of {} failed", datanode, e);
        }
    }

    private void lookAfter(TcpGrantSession client) {
        if (client.session.hasEnded()) {
            disconnected(client);
        } else if (client.looksWait.compareAndSet(false, true)) {
            client.calls.runSoon(() -> {
                client.looksWait.set(false);
                ranges.report(client);
            });
        }
    }

    private void disconnected(TcpGrantSession client) {
        dispatcher.ended(client, true, () -> clients.remove(client.peer().session(), client));
    }

    private void tellEverything(TcpSession session) {
        synchronized (broadcast) {
            broadcast.everything().forEach(frame -> tell(session, frame));
        }
    }

    private void tellChanges() {
        synchronized (broadcast) {
            List<byte[]> frames = broadcast.changes();
            for (TcpGrantSession client : clients.values()) {
                try {
                    frames.forEach(frame -> tell(client.session, frame));
                } catch (RuntimeException | Error e) {
                    // The client would keep a wrong list of resident blocks.
                    LOG.error("Cut connection {}, which misses changes", client.session.number, e);
                    client.session.close();
                }
            }
        }
    }

    private void tell(TcpSession session, byte[] frame) {
        try {
            session.tell(frame, broadcast.everythingBytes() + LATE_CHANGES_BYTES);
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }
}
