package io.terrace.channel.tcp;

import io.terrace.channel.Access;
import io.terrace.channel.ExtentOwner;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.LinkDirectory;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.Peer;
import io.terrace.channel.Range;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNode's end of the channel for clients of other hosts: tells them which blocks it may grant, grants them
 * with the same {@link ExtentOwner} as those of this host, and serves their reads.
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
    private static final int WORKERS = 2;
    private static final int MAX_WAITING_CALLS = 1024;
    private static final long SEND_NS = TimeUnit.SECONDS.toNanos(1);

    private final String datanode;
    private final AnnouncedBlocks blocks;
    private final LinkDirectory links;
    private final ExtentOwner owner;
    private final ChecksumShelf shelf;
    private final OneSidedRanges oneSided;
    private final Figures figures;
    private final TcpListener listener;
    private final ResidencyNews news;
    private final Map<Long, TcpClient> clients = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor workers;
    private final ScheduledExecutorService ticker;
    private long ticks;

    private TcpGrantServer(
            SocketAddress where,
            String datanode,
            AnnouncedBlocks blocks,
            LinkDirectory links,
            ExtentOwner owner,
            ChecksumShelf shelf,
            OneSidedRanges oneSided,
            TcpLimits limits,
            Figures figures)
            throws IOException {
        this.datanode = datanode;
        this.blocks = blocks;
        this.links = links;
        this.owner = owner;
        this.shelf = shelf;
        this.oneSided = oneSided;
        this.figures = figures;
        this.news = new ResidencyNews(blocks);
        ThreadFactory threads = work -> {
            Thread thread = new Thread(work, "terrace-tcp-grants-" + datanode);
            thread.setDaemon(true);
            return thread;
        };
        this.workers = new ThreadPoolExecutor(
                WORKERS, WORKERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING_CALLS), threads);
        this.ticker = Executors.newSingleThreadScheduledExecutor(threads);
        this.listener = TcpListener.open(where, limits, new Answers());
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
            ExtentOwner owner,
            ChecksumSource checksums,
            long checksumMaxBytes,
            OneSidedRanges oneSided,
            TcpLimits limits,
            Figures figures)
            throws IOException {
        ChecksumShelf shelf = new ChecksumShelf(checksums, checksumMaxBytes);
        TcpGrantServer server =
                new TcpGrantServer(where, datanode, blocks, links, owner, shelf, oneSided, limits, figures);
        figures.gauge(Figure.CHANNEL_TCP_CONNECTIONS, server.listener::connections);
        figures.gauge(Figure.CHANNEL_TCP_CHECKSUM_BYTES, shelf::heldBytes);
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

    /** Ends a grant; the owner is told that it is released when the reads in progress have ended. Does not block. */
    public void revoke(Peer peer, long grantId) {
        TcpClient client = clients.get(peer.session());
        if (client != null) {
            figures.increment(Figure.CHANNEL_REVOKES);
            synchronized (client) {
                TcpClient.HeldRange held = client.held.get(grantId);
                if (held != null) {
                    oneSided.retired(held.range.key);
                }
            }
            ticker.execute(() -> end(client, grantId));
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
    private final class Answers implements Conversation {
        @Override
        public void message(TcpSession session, ByteBuffer bytes) {
            try {
                take(session, MessageCodec.decode(bytes));
            } catch (MalformedMessageException e) {
                LOG.info("Cut connection {}: {}", session.number, e.getMessage());
                figures.increment(Figure.CHANNEL_PEERS_CUT);
                session.close();
            } catch (RejectedExecutionException e) {
                LOG.info("Cut connection {}: too many calls wait", session.number);
                figures.increment(Figure.CHANNEL_PEERS_CUT);
                session.close();
            }
        }

        @Override
        public void ended(TcpSession session) {
            TcpClient client = clients.remove(FIRST_SESSION + session.number);
            if (client != null) {
                ticker.execute(() -> disconnected(client));
            }
        }
    }

    private void take(TcpSession session, Message message) throws MalformedMessageException {
        long number = FIRST_SESSION + session.number;
        TcpClient client = clients.get(number);
        if (client == null) {
            if (!(message instanceof Message.Hello hello)) {
                throw new MalformedMessageException("a client that does not say hello");
            }
            String user = hello.client().substring(0, Math.max(0, hello.client().indexOf('/')));
            // While there was nobody to tell, nobody looked.
            tellChanges();
            clients.put(number, new TcpClient(new Peer(number, user, "", hello.client()), session));
            send(session, new Message.Welcome(datanode, "", blocks.incarnation(), oneSided.where()));
            tellEverything(session);
        } else if (message instanceof Message.Ask ask) {
            workers.execute(() -> answer(client, ask));
        } else if (message instanceof Message.Report report) {
            workers.execute(() -> reported(client, report));
        } else if (message instanceof Message.Release release) {
            workers.execute(() -> release.grantIds().forEach(grantId -> end(client, grantId)));
        } else {
            throw new MalformedMessageException("not a message for this server");
        }
    }

    private void answer(TcpClient client, Message.Ask ask) {
        Message answer;
        try {
            synchronized (client) {
                answer = client.ended
                        ? new Message.Refused(
                                ask.requestId(), new Refusal(RefusalReason.OFF, "the connection has ended"))
                        : grant(client, ask);
            }
        } catch (RuntimeException e) {
            LOG.error("Cannot grant {} to {}", ask.request(), client.peer, e);
            answer = new Message.Refused(
                    ask.requestId(), new Refusal(RefusalReason.FAILED, "the DataNode failed; see its log"));
        }
        figures.increment(answer instanceof Message.Granted ? Figure.CHANNEL_GRANTS : Figure.CHANNEL_GRANTS_REFUSED);
        send(client.session, answer);
    }

    private Message grant(TcpClient client, Message.Ask ask) {
        long nowNs = System.nanoTime();
        GrantAnswer answer = owner.grant(client.peer, ask.request());
        if (answer instanceof Refusal refusal) {
            return new Message.Refused(ask.requestId(), refusal);
        }
        Grant grant = (Grant) answer;
        try {
            TcpRange range = open(grant);
            if (range == null) {
                owner.released(client.peer, grant.grantId());
                return new Message.Refused(
                        ask.requestId(), new Refusal(RefusalReason.BUSY, "no room for more checksums"));
            }
            long endsNs = nowNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
            client.held.put(
                    grant.grantId(),
                    new TcpClient.HeldRange(grant.grantId(), grant.descriptor().block(), range, endsNs));
            return new Message.Granted(
                    ask.requestId(),
                    new Grant(grant.grantId(), grant.descriptor(), range.key.digits(), grant.leaseMs()));
        } catch (IOException e) {
            LOG.warn("Cannot serve {} over tcp", grant, e);
            owner.released(client.peer, grant.grantId());
            return new Message.Refused(
                    ask.requestId(), new Refusal(RefusalReason.FAILED, "the extent or its checksums cannot be read"));
        }
    }

    /** Registers what a grant is for; the owner's link has served its purpose afterwards. */
    private @Nullable TcpRange open(Grant grant) throws IOException {
        boolean named = LinkDirectory.isName(grant.linkName());
        Path file = named ? links.path().resolve(grant.linkName()) : Path.of(grant.linkName());
        try {
            long lengthBytes = grant.descriptor().lengthBytes();
            Checksums checksums = shelf.take(grant.descriptor().block(), lengthBytes);
            if (checksums == null) {
                return null;
            }
            try {
                TcpRange range = listener.register(
                        new Range(file, grant.descriptor().address(), lengthBytes), Access.READ, checksums);
                oneSided.granted(grant, range.key, file, checksums);
                return range;
            } catch (IOException | RuntimeException e) {
                shelf.giveBack(grant.descriptor().block());
                throw e;
            }
        } finally {
            if (named) {
                links.unlink(grant.linkName());
            } else {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Ends a grant; its reads in progress end by themselves. */
    private void end(TcpClient client, long grantId) {
        TcpClient.HeldRange held;
        synchronized (client) {
            held = client.held.remove(grantId);
        }
        if (held != null) {
            long graceNs = oneSided.ended(held.range.key);
            // Comes back on whatever thread ended the last read.
            listener.revoke(
                    held.range.key, () -> ticker.schedule(() -> ended(client, held), graceNs, TimeUnit.NANOSECONDS));
        }
    }

    /** What a client read one-sidedly, as it says; the owner believes no more than it granted. */
    private void reported(TcpClient client, Message.Report report) {
        synchronized (client) {
            if (!client.ended) {
                List<ReadReport> held = report.reports().stream()
                        .filter(one -> client.held.containsKey(one.grantId()))
                        .toList();
                owner.reported(client.peer, held);
            }
        }
    }

    private void ended(TcpClient client, TcpClient.HeldRange held) {
        synchronized (client) {
            if (!client.ended) {
                owner.reported(client.peer, List.of(held.unreported()));
                owner.released(client.peer, held.grantId);
            }
        }
        shelf.giveBack(held.block);
    }

    /** Its reads have ended with its connection. */
    private void disconnected(TcpClient client) {
        synchronized (client) {
            client.ended = true;
            owner.reported(client.peer, client.unreported());
            for (TcpClient.HeldRange held : client.held.values()) {
                listener.revoke(held.range.key, () -> {});
                oneSided.ended(held.range.key);
                shelf.giveBack(held.block);
            }
            client.held.clear();
            owner.disconnected(client.peer, true);
        }
    }

    private void tick() {
        try {
            ticks++;
            if (!clients.isEmpty()) {
                tellChanges();
            }
            if (ticks % REPORT_EVERY == 0) {
                clients.values().forEach(this::report);
            }
        } catch (RuntimeException e) {
            LOG.error("The tcp channel of {} cannot tell its news", datanode, e);
        }
    }

    /** Reports what was served, and ends what is over. */
    private void report(TcpClient client) {
        long nowNs = System.nanoTime();
        List<Long> over;
        synchronized (client) {
            if (client.ended) {
                return;
            }
            owner.reported(client.peer, client.unreported());
            over = client.held.values().stream()
                    .filter(held -> held.endsNs - nowNs <= 0)
                    .map(held -> held.grantId)
                    .toList();
        }
        over.forEach(grantId -> end(client, grantId));
    }

    private void tellEverything(TcpSession session) {
        synchronized (news) {
            news.everything().forEach(frame -> sendNews(session, frame));
        }
    }

    private void tellChanges() {
        synchronized (news) {
            List<ByteBuffer> frames = news.changes();
            for (TcpClient client : clients.values()) {
                frames.forEach(frame -> sendNews(client.session, frame.duplicate()));
            }
        }
    }

    private static void sendNews(TcpSession session, ByteBuffer frame) {
        try {
            session.sendFrame(Wire.RESIDENT, frame);
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }

    private static void send(TcpSession session, Message message) {
        try {
            // Its length comes first; the frame around it has one already.
            session.send(MessageCodec.encode(message).position(Integer.BYTES), SEND_NS);
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }
}
