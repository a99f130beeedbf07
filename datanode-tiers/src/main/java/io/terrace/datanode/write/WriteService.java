package io.terrace.datanode.write;

import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.LandingWindows;
import io.terrace.channel.write.WriteAcceptor;
import io.terrace.common.AgentThread;
import io.terrace.common.DaemonThreads;
import io.terrace.common.FairQuota;
import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves connections on which clients write, each on a thread of its own: that thread is the writer of the replica, and has to
 * end when it loses it. One more thread cuts clients that have become silent. Thread-safe.
 */
public final class WriteService implements WriteAcceptor, Closeable {
    /** Begins the names of threads that serve writers; what follows is the DataNode's name and a number. */
    public static final String THREADS = "terrace-write-";

    private static final Logger LOG = LoggerFactory.getLogger(WriteService.class);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** What a client gets of the time in which stock ends for a restart. */
    private static final long RESTART_MS = TimeUnit.SECONDS.toMillis(2);

    private static final long END_MS = TimeUnit.SECONDS.toMillis(10);

    private final BlockStore store;
    private final WriteLimits limits;
    private final WriteMeter meter;
    private final LandingWindows windows;
    private final WriteBuffers buffers = new WriteBuffers();

    /** A connection has a thread before its client shows a token: one user of this host, or one other host, leaves some. */
    private final FairQuota<String> places;

    private final Set<WriteSession> sessions = ConcurrentHashMap.newKeySet();
    /** Who can connect can fail as often as he likes: few ends are logged. */
    private final LogThrottle ends = new LogThrottle(TimeUnit.SECONDS.toNanos(1));

    private final AtomicLong lastNumber = new AtomicLong();
    private final String name;
    private final AgentThread watch;
    private volatile boolean closing;

    /**
     * Serves nobody yet.
     *
     * @param name of the DataNode, for the names of threads
     * @param windows that clients may write into by RDMA
     */
    public WriteService(String name, BlockStore store, WriteLimits limits, WriteMeter meter, LandingWindows windows) {
        this.windows = windows;
        this.name = name;
        this.store = store;
        this.limits = limits;
        this.places = new FairQuota<>(limits.connections());
        this.meter = meter;
        this.watch = new AgentThread("terrace-write-watch-" + name, this::cutSilent, LOOK_NS, System::nanoTime).start();
    }

    @Override
    public void accept(AcceptedConnection connection) throws IOException {
        BlockStore.Client client = client(connection);
        String owner = connection.channel().getRemoteAddress() instanceof InetSocketAddress there
                ? there.getAddress().getHostAddress()
                : connection.from();
        if (!places.take(owner, 1)) {
            meter.refused();
            throw new IOException("all " + limits.connections() + " connections for writes, or the share of " + owner
                    + ", are in use");
        }
        boolean started = false;
        try {
            start(connection, client, owner);
            started = true;
        } finally {
            if (!started) {
                places.release(owner, 1);
            }
        }
    }

    private void start(AcceptedConnection connection, BlockStore.Client client, String owner) throws IOException {
        FrameChannel frames = new FrameChannel(connection.channel(), connection.early());
        SessionWindow window = new SessionWindow(frames, windows, owner, connection.takesOffer(), meter);
        WriteSession session = new WriteSession(frames, window, client, store, buffers, limits, meter, ends);
        sessions.add(session);
        boolean started = false;
        try {
            if (closing) {
                throw new IOException("no more connections for writes are served");
            }
            Thread thread = DaemonThreads.make(
                    THREADS + name + "-" + lastNumber.incrementAndGet(), () -> serve(session, connection, owner));
            session.servedBy(thread);
            thread.start();
            started = true;
        } finally {
            if (!started) {
                sessions.remove(session);
            }
        }
    }

    /** Clients that write, or may begin to. */
    public int connections() {
        return sessions.size();
    }

    /** Ends all blocks that clients write, as an operator asked: they go on without this DataNode. */
    public void evict() {
        long evicted = sessions.stream().filter(WriteSession::evict).count();
        LOG.info("Evicted {} clients that write over the channel", evicted);
    }

    /** Ends all connections. Replicas that are being written stay as they are. */
    @Override
    public void close() {
        closing = true;
        watch.stop(false);
        if (store.isRestarting()) {
            sessions.forEach(WriteSession::endInput);
            awaitEnds(RESTART_MS);
        }
        sessions.forEach(WriteSession::close);
        awaitEnds(END_MS);
        if (!sessions.isEmpty()) {
            LOG.warn("{} clients that write did not end in time", sessions.size());
        }
    }

    private void awaitEnds(long timeoutMs) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (WriteSession session : sessions) {
            session.awaitEnd(deadlineNs);
        }
    }

    private void serve(WriteSession session, AcceptedConnection connection, String owner) {
        try {
            session.run();
        } finally {
            session.close();
            places.release(owner, 1);
            sessions.remove(session);
            connection.ended().run();
        }
    }

    private int cutSilent(long nowNs) {
        sessions.forEach(session -> session.cutIfSilent(nowNs));
        return 0;
    }

    private static BlockStore.Client client(AcceptedConnection connection) throws IOException {
        boolean sameHost = isOfThisHost(connection.channel());
        String host = !sameHost && connection.channel().getRemoteAddress() instanceof InetSocketAddress there
                ? there.getAddress().getHostAddress()
                : ClientSpeeds.OWN_HOST;
        return new BlockStore.Client(connection.from(), connection.to(), sameHost, host);
    }

    /** As stock tells it: a Unix socket, or both ends have the same address. */
    private static boolean isOfThisHost(SocketChannel channel) throws IOException {
        return !(channel.getLocalAddress() instanceof InetSocketAddress here)
                || !(channel.getRemoteAddress() instanceof InetSocketAddress there)
                || here.getAddress().equals(there.getAddress());
    }
}
