package io.terrace.channel.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.WriteAcceptor;
import io.terrace.common.DaemonThreads;
import io.terrace.common.FairQuota;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the grants of a DataNode to clients of its host: listens on a Unix socket, knows each client's user from the kernel
 * ({@code SO_PEERCRED}), and has a {@link GrantDispatcher} carry out what it asks for.
 *
 * <p>One selector thread moves the bytes of all clients; {@link PeerCredentials} asks for their names. A client's input waits while its call runs, so the memory and the
 * work that any client can claim is bounded. Clients beyond a limit, and those that send half a message or garbage or take
 * no answers, are cut; other clients do not notice.
 *
 * <p>Thread-safe. {@link #close} ends all sessions and returns when the owner was told.
 */
public final class GrantServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrantServer.class);

    /** A client can connect and be cut as often as it likes: each cut is counted, few are logged. */
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(1);

    private final String datanode;
    private final Message.Welcome welcome;
    private final LinkedGrants grants;
    private final GrantDispatcher<GrantSession> dispatcher;
    private final GrantLimits limits;
    private final MetricRegistry metricRegistry;
    private final Path socket;
    private final ServerSocketChannel listener;
    private final SelectionKey listening;
    private final EventLoop loop;
    private final Thread thread;
    /** Until their grants have ended: the limits count these. */
    private final Map<Long, GrantSession> sessions = new ConcurrentHashMap<>();

    private final PeerCredentials credentials;
    private final FairQuota<String> connections;
    private long lastNumber;
    /** Without a free file descriptor it fails four times a second. */
    private final LogThrottle notAccepted = new LogThrottle(TimeUnit.MINUTES.toNanos(1));

    private final LogThrottle cuts = new LogThrottle(LOG_NS);
    private volatile WriteAcceptor writes = WriteAcceptor.NONE;
    private volatile boolean closing;

    /**
     * Listens as {@code <uuid>.sock} in the channel directory.
     *
     * @param datanode uuid of the DataNode; unique among those that share the directory
     * @param table whose path and incarnation are told to clients
     * @throws IOException when another process serves under that name, or no socket can be made
     */
    public GrantServer(
            SocketDirectory directory,
            String datanode,
            SlotTable table,
            LinkDirectory links,
            GrantService owner,
            GrantLimits limits,
            MetricRegistry metricRegistry)
            throws IOException {
        this.datanode = datanode;
        this.welcome = new Message.Welcome(
                datanode,
                table.path().toAbsolutePath().toString(),
                table.incarnation(),
                links.path().toString());
        this.limits = limits;
        this.metricRegistry = metricRegistry;
        this.connections = new FairQuota<>(limits.connections(), limits.connectionsPerUser());
        this.grants = new LinkedGrants(links, owner, limits.linkTimeoutMs(), metricRegistry);
        this.dispatcher =
                new GrantDispatcher<>("terrace-grants-worker", limits.grants(), owner, grants, metricRegistry);
        this.thread = DaemonThreads.make("terrace-grants-" + datanode, this::run);
        this.socket = directory.socket(datanode);
        this.listener = SocketDirectory.listen(socket);
        try {
            listener.configureBlocking(false);
            this.loop = new EventLoop(new Steps());
            this.listening = loop.watch(listener, SelectionKey.OP_ACCEPT, null);
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
        this.credentials = new PeerCredentials(
                "terrace-grants-users-" + datanode,
                limits.connections(),
                (channel, who) -> loop.add(listening, () -> admit(channel, who)));
        metricRegistry.gauge(Metric.CHANNEL_CONNECTIONS, sessions::size);
        thread.start();
    }

    public Path socket() {
        return socket;
    }

    /** Whoever wants to write is served by this from now on. */
    public void serveWrites(WriteAcceptor acceptor) {
        writes = acceptor;
    }

    /**
     * Asks a client to end a grant. Its answer, or its end, comes to the owner as {@link GrantService#released} or {@link
     * GrantService#disconnected}; a client that does neither loses the grant when its lease ends. Does not block.
     */
    public void revoke(Peer peer, long grantId, int slot, long sequence) {
        GrantSession session = sessions.get(peer.session());
        if (session != null) {
            metricRegistry.increment(Metric.CHANNEL_REVOKES);
            session.send(new Message.Revoke(grantId, slot, sequence));
        }
    }

    /** Ends all sessions, tells the owner, removes the socket. */
    @Override
    public void close() {
        closing = true;
        loop.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        dispatcher.close();
    }

    private void run() {
        try {
            while (!closing) {
                loop.turn();
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("The grant server of {} ended; clients read through stock HDFS", datanode, e);
        } finally {
            shutdown();
        }
    }

    private void shutdown() {
        try {
            listener.close();
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            LOG.warn("Cannot remove {}", socket, e);
        }
        credentials.close();
        for (GrantSession session : sessions.values()) {
            try {
                end(session);
            } catch (RuntimeException | Error e) {
                LOG.error("Cannot report the end of client {} of {}", session.number, session.user, e);
            }
        }
        try {
            loop.close();
        } catch (IOException e) {
            LOG.warn("Cannot close the grant server's selector", e);
        }
    }

    /** What is done with the sessions, one step at a time. */
    private final class Steps implements EventLoop.Steps {
        @Override
        public void serve(SelectionKey key, long nowNs) throws IOException {
            if (key.channel() == listener) {
                SocketChannel channel = listener.accept();
                if (channel != null && !credentials.ask(channel)) {
                    metricRegistry.increment(Metric.CHANNEL_CONNECTIONS_REFUSED);
                    channel.close();
                }
                return;
            }
            GrantSession session = (GrantSession) key.attachment();
            if (key.isWritable()) {
                session.writeOutput(nowNs);
            }
            if (!session.ended && key.isReadable() && !session.readInput(nowNs)) {
                end(session);
            }
        }

        @Override
        public void failed(SelectionKey key, Throwable why) {
            if (key.channel() == listener) {
                // Without a free file descriptor the listener stays ready and this thread would spin, so wait for the
                // next sweep.
                listening.interestOps(0);
                Long others = notAccepted.next(System.nanoTime());
                if (others != null) {
                    LOG.warn(
                            "Cannot accept a client at {}: {}; where files are too many, raise the DataNode's ulimit -n ({} others before it)",
                            socket,
                            String.valueOf(why),
                            others);
                }
                return;
            }
            GrantSession session = (GrantSession) key.attachment();
            if (why instanceof MalformedMessageException) {
                cut(session, why.getMessage());
            } else if (why instanceof IOException || why instanceof CancelledKeyException) {
                LOG.debug("Lost client {} of {}", session.number, session.user, why);
                end(session);
            } else {
                // End the session first: without memory the log may fail.
                end(session);
                LOG.error("Client {} of {} cannot be served", session.number, session.user, why);
            }
        }

        @Override
        public void sweep(long nowNs) {
            listening.interestOps(SelectionKey.OP_ACCEPT);
            for (GrantSession session : sessions.values()) {
                try {
                    look(session, nowNs);
                } catch (RuntimeException | Error e) {
                    failed(session.key, e);
                }
            }
        }
    }

    /** Makes a connection a session; one beyond the limits is closed. */
    private void admit(SocketChannel channel, UnixDomainPrincipal who) throws IOException {
        if (!credentials.take(channel)) {
            return;
        }
        @Nullable String counted = null;
        try {
            String user = who.user().getName();
            if (!connections.take(user, 1)) {
                metricRegistry.increment(Metric.CHANNEL_CONNECTIONS_REFUSED);
                channel.close();
                return;
            }
            counted = user;
            GrantSession session = new GrantSession(
                    ++lastNumber, who, channel, loop, dispatcher.workers(), this::take, System.nanoTime());
            sessions.put(session.number, session);
        } catch (IOException | RuntimeException | Error e) {
            if (counted != null) {
                connections.release(counted, 1);
            }
            channel.close();
            throw e;
        }
    }

    private void take(GrantSession session, Message message, int messageBytes) throws MalformedMessageException {
        if (!session.saidHello()) {
            if (message instanceof Message.StartWrites) {
                session.pauseInput();
                loop.add(session.key, () -> handOver(session));
                return;
            }
            if (!(message instanceof Message.Hello hello)) {
                throw new MalformedMessageException("the first message of a client is not Hello");
            }
            session.hello(hello.client());
            session.send(welcome);
        } else if (message instanceof Message.Goodbye) {
            session.orderly = true;
            end(session);
        } else {
            dispatcher.received(session, message, messageBytes);
        }
    }

    /** Gives a connection to whoever serves writes; until it ends it counts as one of this server's. */
    private void handOver(GrantSession session) throws IOException {
        if (session.ended) {
            return;
        }
        loop.unwatch(session.key);
        session.channel.configureBlocking(true);
        String from = "unix:" + session.user;
        writes.accept(new AcceptedConnection(
                session.channel, session.takeEarly(), from, "unix:" + socket, false, () -> forget(session)));
        session.ended = true;
        session.endTold = true;
    }

    /** Ends a session whose time is up in one way or another. */
    private void look(GrantSession session, long nowNs) {
        if (session.ended) {
            if (!session.endTold) {
                endGrants(session);
            }
            return;
        }
        long messageNs = TimeUnit.MILLISECONDS.toNanos(limits.messageTimeoutMs());
        long idleNs = TimeUnit.MILLISECONDS.toNanos(limits.idleTimeoutMs());
        grants.removeLinks(session, nowNs, false);
        if (session.isSilent(nowNs, messageNs)) {
            cut(session, "no whole message in " + limits.messageTimeoutMs() + " ms");
        } else if (session.isStuck(nowNs, messageNs)) {
            cut(session, "it does not take its answers");
        } else if (!session.isBusy() && nowNs - session.lastInputNs > idleNs) {
            cut(session, "idle for " + limits.idleTimeoutMs() + " ms");
        }
    }

    private void cut(GrantSession session, @Nullable String why) {
        metricRegistry.increment(Metric.CHANNEL_PEERS_CUT);
        Long others = cuts.next(System.nanoTime());
        if (others != null) {
            LOG.info("Cut client {} of {}: {} ({} others before it)", session.number, session.user, why, others);
        }
        end(session);
    }

    /** Closes the connection at once; its grants end when no call of the session runs any more. */
    private void end(GrantSession session) {
        if (session.ended) {
            return;
        }
        session.ended = true;
        session.key.cancel();
        try {
            session.channel.close();
        } catch (IOException e) {
            LOG.debug("Closing client {}", session.number, e);
        }
        endGrants(session);
    }

    /** If this fails, the next sweep comes back to it. */
    private void endGrants(GrantSession session) {
        if (session.saidHello()) {
            dispatcher.ended(session, session.orderly, () -> forget(session));
        } else {
            forget(session);
        }
        session.endTold = true;
    }

    private void forget(GrantSession session) {
        if (sessions.remove(session.number) != null) {
            connections.release(session.user, 1);
        }
    }
}
