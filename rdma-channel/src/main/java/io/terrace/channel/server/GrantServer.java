package io.terrace.channel.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNode's end of the control path on one host: listens on a Unix socket, knows each client's user from the kernel
 * ({@code SO_PEERCRED}), and hands its wishes to the {@link GrantService}.
 *
 * <p>One selector thread moves bytes; a few workers call the owner, one call at a time for each client, and a client's
 * input waits while its call runs, so the memory and the work that any client can claim is bounded. Clients beyond a
 * limit, silent in the middle of a message, slow to take their answers or speaking garbage are cut; nobody else notices.
 *
 * <p>Thread-safe. {@link #close} ends all sessions and returns when the owner was told.
 */
public final class GrantServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrantServer.class);

    /** Taken of one client's messages before the others have their turn. */
    private static final int MESSAGES_A_TURN = 64;

    /** Whoever can connect can be cut as often as he likes: all are counted, few are told. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(1);

    private final String datanode;
    private final GrantDispatcher conversation;
    private final GrantLimits limits;
    private final MetricRegistry metricRegistry;
    private final Path socket;
    private final ServerSocketChannel listener;
    private final SelectionKey listening;
    private final EventLoop turns;
    private final ExecutorService workers;
    private final Thread thread;

    private final GrantSessions sessions;
    private final LogThrottle told = new LogThrottle(TELL_NS);
    private volatile boolean closing;

    private GrantServer(
            Path socket,
            ServerSocketChannel listener,
            Selector selector,
            Message.Welcome welcome,
            LinkDirectory links,
            GrantService owner,
            GrantLimits limits,
            MetricRegistry metricRegistry)
            throws IOException {
        this.socket = socket;
        this.listener = listener;
        this.turns = new EventLoop(selector, new Steps());
        this.listening = turns.watch(listener, SelectionKey.OP_ACCEPT, null);
        this.datanode = welcome.datanode();
        this.conversation =
                new GrantDispatcher(welcome, links, owner, limits.linkTimeoutMs(), metricRegistry, this::send);
        this.limits = limits;
        this.metricRegistry = metricRegistry;
        this.sessions = new GrantSessions(limits, metricRegistry);
        AtomicInteger number = new AtomicInteger();
        this.workers = Executors.newFixedThreadPool(limits.workers(), work -> {
            Thread worker = new Thread(work, "terrace-grants-worker-" + number.incrementAndGet());
            worker.setDaemon(true);
            return worker;
        });
        this.thread = new Thread(this::run, "terrace-grants-" + datanode);
        this.thread.setDaemon(true);
        metricRegistry.gauge(Metric.CHANNEL_CONNECTIONS, sessions::size);
    }

    /**
     * Listens as {@code <uuid>.sock} in the channel directory.
     *
     * @param datanode uuid of the DataNode; unique among those that share the directory
     * @param table whose path and incarnation are told to clients
     * @throws IOException when another process serves under that name, or no socket can be made
     */
    public static GrantServer start(
            SocketDirectory directory,
            String datanode,
            SlotTable table,
            LinkDirectory links,
            GrantService owner,
            GrantLimits limits,
            MetricRegistry metricRegistry)
            throws IOException {
        Path socket = directory.socket(datanode);
        ServerSocketChannel listener = SocketDirectory.listen(socket);
        try {
            listener.configureBlocking(false);
            Selector selector = Selector.open();
            Message.Welcome welcome = new Message.Welcome(
                    datanode,
                    table.path().toAbsolutePath().toString(),
                    table.incarnation(),
                    links.path().toString());
            GrantServer server =
                    new GrantServer(socket, listener, selector, welcome, links, owner, limits, metricRegistry);
            server.thread.start();
            return server;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    public Path socket() {
        return socket;
    }

    /**
     * Asks a client to end a grant. Its answer, or its end, comes to the owner as {@link GrantService#released} or {@link
     * GrantService#disconnected}; a client that does neither loses the grant when its lease ends. Does not block.
     */
    public void revoke(Peer peer, long grantId, int slot, long sequence) {
        GrantSession session = sessions.find(peer.session());
        if (session != null) {
            metricRegistry.increment(Metric.CHANNEL_REVOKES);
            send(session, new Message.Revoke(grantId, slot, sequence));
        }
    }

    /** Ends all sessions, tells the owner, removes the socket. */
    @Override
    public void close() {
        closing = true;
        turns.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            workers.shutdown();
            if (!workers.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("Workers of the grant server of {} did not end in time", datanode);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closing) {
                turns.turn();
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
        // A call in progress puts its end on the list, so the list is worked off until no session is left.
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        for (GrantSession session : sessions.all()) {
            try {
                end(session);
            } catch (RuntimeException | Error e) {
                LOG.error("Cannot tell the owner that client {} of {} is gone", session.number, session.user, e);
            }
        }
        while (sessions.size() > 0 && System.nanoTime() - deadlineNs < 0) {
            try {
                turns.onlyTodo();
            } catch (IOException e) {
                LOG.warn("The grant server's selector failed while it closed", e);
                break;
            }
        }
        try {
            turns.close();
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
                if (channel != null) {
                    sessions.admit(channel, turns, nowNs);
                }
                return;
            }
            GrantSession session = (GrantSession) key.attachment();
            if (key.isWritable() && session.flush(nowNs)) {
                key.interestOpsAnd(~SelectionKey.OP_WRITE);
                if (session.waitsForRoom) {
                    takeMessages(session, nowNs);
                }
            }
            if (session.takesInput() && key.isReadable()) {
                if (session.input.fill(session.channel) < 0) {
                    end(session);
                    return;
                }
                session.lastInputNs = nowNs;
                takeMessages(session, nowNs);
            }
        }

        @Override
        public void goOn(SelectionKey key, long nowNs) throws IOException {
            GrantSession session = (GrantSession) key.attachment();
            session.comesAgain = false;
            takeMessages(session, nowNs);
        }

        @Override
        public void failed(SelectionKey key, Throwable why) {
            if (key.channel() == listener) {
                // Without a free file descriptor the listener would stay ready and this thread spin: wait for the next
                // sweep.
                LOG.warn("Cannot take a client in", why);
                listening.interestOps(0);
                return;
            }
            GrantSession session = (GrantSession) key.attachment();
            if (why instanceof MalformedMessageException) {
                cut(session, why.getMessage());
            } else if (why instanceof IOException || why instanceof CancelledKeyException) {
                LOG.debug("Lost client {} of {}", session.number, session.user, why);
                end(session);
            } else {
                // The end comes first: without memory there may be none for a line in the log.
                end(session);
                LOG.error("Client {} of {} cannot be served", session.number, session.user, why);
            }
        }

        @Override
        public void sweep(long nowNs) {
            listening.interestOps(SelectionKey.OP_ACCEPT);
            for (GrantSession session : sessions.all()) {
                try {
                    look(session, nowNs);
                } catch (RuntimeException | Error e) {
                    failed(session.key, e);
                }
            }
        }
    }

    /** Takes what has come until a call runs, an answer waits for room, or others have their turn. */
    private void takeMessages(GrantSession session, long nowNs) throws IOException {
        for (int left = MESSAGES_A_TURN; !session.busy && !session.ended; left--) {
            session.waitsForRoom = session.hasOutput();
            session.comesAgain = left == 0 && !session.waitsForRoom;
            if (!session.takesInput()) {
                session.partialInput(false, nowNs);
                session.key.interestOpsAnd(~SelectionKey.OP_READ);
                if (session.comesAgain) {
                    turns.again(session.key);
                }
                return;
            }
            ByteBuffer frame = session.input.next();
            if (frame == null) {
                session.partialInput(session.input.isPartial(), nowNs);
                session.key.interestOpsOr(SelectionKey.OP_READ);
                return;
            }
            session.partialInput(false, nowNs);
            @Nullable Runnable call = conversation.take(session, MessageCodec.decode(frame));
            if (session.orderly) {
                end(session);
            } else if (call != null) {
                call(session, call);
            }
        }
    }

    /** Lets a worker do it; the session's input waits meanwhile. */
    private void call(GrantSession session, Runnable call) {
        session.key.interestOpsAnd(~SelectionKey.OP_READ);
        session.busy = true;
        try {
            workers.execute(() -> {
                try {
                    call.run();
                } catch (RuntimeException | Error e) {
                    // Whatever it was: a session that nobody calls back keeps its place for good.
                    LOG.error("A call for client {} of {} failed", session.number, session.user, e);
                }
                turns.add(session.key, () -> called(session));
            });
        } catch (RuntimeException | Error e) {
            session.busy = false;
            throw e;
        }
    }

    private void called(GrantSession session) throws IOException {
        session.busy = false;
        if (session.ended) {
            tellOwner(session);
        } else {
            takeMessages(session, System.nanoTime());
        }
    }

    private void send(GrantSession session, Message message) {
        if (session.send(message, System.nanoTime())) {
            turns.add(session.key, () -> {
                if (session.key.isValid()) {
                    session.key.interestOpsOr(SelectionKey.OP_WRITE);
                }
            });
        }
    }

    /** Ends a session whose time is up in one way or another. */
    private void look(GrantSession session, long nowNs) {
        if (session.ended) {
            if (!session.busy && !session.ownerTold) {
                tellOwner(session);
            }
            return;
        }
        long messageNs = TimeUnit.MILLISECONDS.toNanos(limits.messageTimeoutMs());
        long idleNs = TimeUnit.MILLISECONDS.toNanos(limits.idleTimeoutMs());
        conversation.removeLinks(session, nowNs, false);
        boolean silent = session.takesInput() && session.isSilent(nowNs, messageNs);
        if (silent) {
            cut(session, "no whole message in " + limits.messageTimeoutMs() + " ms");
        } else if (session.isStuck(nowNs, messageNs)) {
            cut(session, "it does not take its answers");
        } else if (!session.busy && nowNs - session.lastInputNs > idleNs) {
            cut(session, "idle for " + limits.idleTimeoutMs() + " ms");
        }
    }

    private void cut(GrantSession session, @Nullable String why) {
        metricRegistry.increment(Metric.CHANNEL_PEERS_CUT);
        Long others = told.next(System.nanoTime());
        if (others != null) {
            LOG.info("Cut client {} of {}: {} ({} others before it)", session.number, session.user, why, others);
        }
        end(session);
    }

    /**
     * Closes the connection at once and tells the owner as soon as no call of the session runs; if that fails, the next sweep
     * tells him.
     */
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
        if (!session.busy) {
            tellOwner(session);
        }
    }

    private void tellOwner(GrantSession session) {
        conversation.removeLinks(session, 0, true);
        @Nullable Runnable call = conversation.end(session);
        if (call == null) {
            sessions.forget(session);
            return;
        }
        workers.execute(() -> {
            try {
                call.run();
            } catch (RuntimeException | Error e) {
                LOG.error("The end of client {} of {} failed", session.number, session.user, e);
            }
            turns.add(session.key, () -> sessions.forget(session));
        });
        session.ownerTold = true;
    }
}
