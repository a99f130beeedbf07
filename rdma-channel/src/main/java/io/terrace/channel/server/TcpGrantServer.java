package io.terrace.channel.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.server.MessageHandler;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNode's end of the channel for clients of other hosts: tells them which blocks it may grant, grants them
 * with the same {@link GrantService} as those of this host, and serves their reads.
 *
 * <p>The server is itself the holder of the grants: a client has only the key of a range, which is void once the grant
 * ends, so a revocation needs no answer from it. What was read is counted here, where it is served.
 *
 * <p>Messages: HELLO (the client's name is {@code user/name}, a claim), answered by WELCOME, which has the address of
 * {@link OneSidedRanges} in place of the directory of links; ASK, answered by GRANTED,
 * whose link name is the key of the range, or REFUSED; RELEASE; REPORT of what was read by RDMA. Thread-safe.
 */
public final class TcpGrantServer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpGrantServer.class);

    /** Apart from the sessions of the same DataNode's Unix socket. */
    private static final long FIRST_SESSION = 1L << 62;

    private static final long NEWS_MS = 50;
    private static final long REPORT_EVERY = 1000 / NEWS_MS;

    /** Grants that are made at one time: each may wait for a disk. */
    private static final int GRANTING = 16;

    /** Grants that wait for others of the same user. */
    private static final int WAITING = 1024;

    /** Workers that no grant keeps. */
    private static final int PROMPT = 2;

    private static final long IDLE_WORKER_S = 60;

    /** Beside everything that there is to tell, so much may wait for one client. */
    private static final long LATE_NEWS_BYTES = 1 << 20;

    private final String datanode;
    private final AnnouncedBlocks blocks;
    private final OneSidedRanges oneSided;
    private final MetricRegistry metricRegistry;
    private final TcpListener listener;
    private final GrantedRanges ranges;
    private final ResidencyBroadcast news;
    private final Map<Long, TcpGrantSession> clients = new ConcurrentHashMap<>();
    private final GrantService owner;
    private final ExecutorService workers;
    private final FairExecutor turns;
    private final ScheduledExecutorService ticker;
    private long ticks;

    private TcpGrantServer(
            SocketAddress where,
            String datanode,
            AnnouncedBlocks blocks,
            LinkDirectory links,
            GrantService owner,
            ChecksumCache shelf,
            OneSidedRanges oneSided,
            TcpLimits limits,
            MetricRegistry metricRegistry)
            throws IOException {
        this.datanode = datanode;
        this.blocks = blocks;
        this.owner = owner;
        this.oneSided = oneSided;
        this.metricRegistry = metricRegistry;
        this.news = new ResidencyBroadcast(blocks);
        ThreadFactory threads = work -> {
            Thread thread = new Thread(work, "terrace-tcp-grants-" + datanode);
            thread.setDaemon(true);
            return thread;
        };
        this.workers = workers(threads);
        this.turns = new FairExecutor(GRANTING, WAITING, workers);
        this.ticker = Executors.newSingleThreadScheduledExecutor(threads);
        this.listener = TcpListener.open(where, limits, new Answers());
        this.ranges = new GrantedRanges(listener, links, owner, shelf, oneSided, ticker);
    }

    private static ExecutorService workers(ThreadFactory threads) {
        ThreadPoolExecutor workers = new ThreadPoolExecutor(
                GRANTING + PROMPT,
                GRANTING + PROMPT,
                IDLE_WORKER_S,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads);
        workers.allowCoreThreadTimeOut(true);
        return workers;
    }

    /**
     * Listens for clients of other hosts.
     *
     * @param blocks what clients are told they may ask for
     * @param links where the owner makes the links that its grants name, unless they name absolute paths
     * @param checksumMaxBytes checksums of granted blocks held on the heap
     * @param oneSided another way to what is granted
     */
    public static TcpGrantServer start(
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
        ChecksumCache shelf = new ChecksumCache(checksums, checksumMaxBytes, metricRegistry);
        TcpGrantServer server =
                new TcpGrantServer(where, datanode, blocks, links, owner, shelf, oneSided, limits, metricRegistry);
        metricRegistry.gauge(Metric.CHANNEL_TCP_CONNECTIONS, server.listener::connections);
        metricRegistry.gauge(Metric.CHANNEL_TCP_CHECKSUM_BYTES, shelf::heldBytes);
        server.ticker.scheduleWithFixedDelay(server::tick, NEWS_MS, NEWS_MS, TimeUnit.MILLISECONDS);
        return server;
    }

    public SocketAddress address() {
        return listener.address();
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
            // A grant to the same client may be under way for long: then it comes right after that.
            ticker.execute(() -> client.serialExecutor.runSoon(() -> {
                if (extentRetires) {
                    ranges.retired(client, grantId);
                }
                ranges.end(client, grantId);
            }));
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        workers.shutdown();
        ticker.shutdown();
        try {
            if (!workers.awaitTermination(10, TimeUnit.SECONDS) || !ticker.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("Workers of the tcp channel of {} did not end in time", datanode);
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
                // Should this fail, the next tick finds it.
                ticker.execute(() -> client.serialExecutor.runSoon(() -> disconnected(client)));
            }
        }
    }

    private void take(TcpSession session, Message message, int messageBytes) throws MalformedMessageException {
        long number = FIRST_SESSION + session.number;
        TcpGrantSession client = clients.get(number);
        if (client == null) {
            if (!(message instanceof Message.Hello hello)) {
                throw new MalformedMessageException("a client that does not say hello");
            }
            String user = hello.client().substring(0, Math.max(0, hello.client().indexOf('/')));
            if (clients.isEmpty()) {
                // While there was nobody to tell, nobody looked.
                tellChanges();
            }
            Peer peer = new Peer(number, user, "", session.isOfThisHost(), hello.client());
            clients.put(number, new TcpGrantSession(peer, session, workers));
            send(session, new Message.Welcome(datanode, "", blocks.incarnation(), oneSided.where()));
            tellEverything(session);
        } else if (message instanceof Message.Ask ask) {
            client.serialExecutor.add(new Asked(client, ask), messageBytes);
        } else if (message instanceof Message.Report report) {
            client.serialExecutor.add(() -> ranges.reported(client, report), messageBytes);
        } else if (message instanceof Message.Release release) {
            client.serialExecutor.add(
                    () -> release.grantIds().forEach(grantId -> ranges.end(client, grantId)), messageBytes);
        } else {
            throw new MalformedMessageException("not a message for this server");
        }
    }

    /** A grant that somebody asks for: whose token he shows is looked at first, since only his own may keep it waiting. */
    private final class Asked implements SerialExecutor.Call {
        private final TcpGrantSession client;
        private final Message.Ask ask;
        private Principal principal = Principal.UNPROVEN;
        private boolean crowded;

        Asked(TcpGrantSession client, Message.Ask ask) {
            this.client = client;
            this.ask = ask;
        }

        @Override
        public void whenNext(Runnable turn) {
            try {
                principal = owner.holder(client.peer, ask.request());
            } catch (RuntimeException | Error e) {
                LOG.debug("The grant to {} will fail likewise, and say so", client.peer, e);
            }
            if (!turns.run(principal, turn)) {
                crowded = true;
                turn.run();
            }
        }

        @Override
        public void run() {
            Message answer = answer();
            metricRegistry.increment(
                    answer instanceof Message.Granted ? Metric.CHANNEL_GRANTS : Metric.CHANNEL_GRANTS_REFUSED);
            send(client.session, answer);
        }

        private Message answer() {
            if (crowded) {
                return refusal(RefusalReason.BUSY, "too many grants of the same user wait");
            }
            try {
                synchronized (client) {
                    return client.ended
                            ? refusal(RefusalReason.OFF, "the connection has ended")
                            : ranges.grant(client, ask, principal);
                }
            } catch (RuntimeException | Error e) {
                LOG.error("Cannot grant {} to {}", ask.request(), client.peer, e);
                return refusal(RefusalReason.FAILED, "the DataNode failed; see its log");
            }
        }

        private Message refusal(RefusalReason reason, String why) {
            return new Message.Refused(ask.requestId(), new Refusal(reason, why));
        }
    }

    private void tick() {
        try {
            ticks++;
            if (!clients.isEmpty()) {
                tellChanges();
            }
        } catch (RuntimeException | Error e) {
            LOG.error("The tcp channel of {} cannot tell its news", datanode, e);
        }
        try {
            if (ticks % REPORT_EVERY == 0) {
                clients.values().forEach(this::lookAfterSoon);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("The tcp channel of {} cannot look after its clients", datanode, e);
        }
    }

    private void lookAfterSoon(TcpGrantSession client) {
        if (client.looksWait.compareAndSet(false, true)) {
            client.serialExecutor.runSoon(() -> {
                client.looksWait.set(false);
                lookAfter(client);
            });
        }
    }

    private void lookAfter(TcpGrantSession client) {
        if (client.session.hasEnded()) {
            disconnected(client);
        } else {
            ranges.report(client);
        }
    }

    private void disconnected(TcpGrantSession client) {
        ranges.disconnected(client);
        clients.remove(client.peer.session(), client);
    }

    private void tellEverything(TcpSession session) {
        synchronized (news) {
            news.everything().forEach(frame -> tell(session, frame));
        }
    }

    private void tellChanges() {
        synchronized (news) {
            List<byte[]> frames = news.changes();
            for (TcpGrantSession client : clients.values()) {
                try {
                    frames.forEach(frame -> tell(client.session, frame));
                } catch (RuntimeException | Error e) {
                    // It would believe for good what is not so.
                    LOG.error("Cut connection {}, which misses news", client.session.number, e);
                    client.session.close();
                }
            }
        }
    }

    private void tell(TcpSession session, byte[] frame) {
        try {
            session.tell(frame, news.everythingBytes() + LATE_NEWS_BYTES);
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }

    private static void send(TcpSession session, Message message) {
        try {
            // Its length comes first; the frame around it has one already.
            session.send(MessageCodec.encode(message).position(Integer.BYTES));
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }
}
