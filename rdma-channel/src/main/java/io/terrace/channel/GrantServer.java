package io.terrace.channel;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNode's end of the control path on one host: listens on a Unix socket, knows each client's user from the kernel
 * ({@code SO_PEERCRED}), and hands its wishes to the {@link ExtentOwner}.
 *
 * <p>One selector thread moves bytes; a few workers call the owner, one call at a time for each client, and a client's
 * input waits while its call runs, so the memory and the work that any client can claim is bounded. Clients beyond a
 * limit, silent in the middle of a message, slow to take their answers or speaking garbage are cut; nobody else notices.
 *
 * <p>Thread-safe. {@link #close} ends all sessions and returns when the owner was told.
 */
public final class GrantServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrantServer.class);
    private static final long TICK_MS = 250;

    private final String datanode;
    private final GrantConversation conversation;
    private final GrantLimits limits;
    private final Figures figures;
    private final Path socket;
    private final ServerSocketChannel listener;
    private final SelectionKey listening;
    private final Selector selector;
    private final ExecutorService workers;
    private final Thread thread;

    /** All sessions until the owner was told of their end: what the limits count. */
    private final Map<Long, GrantSession> sessions = new ConcurrentHashMap<>();

    private final Map<String, Integer> sessionsByUser = new HashMap<>();
    private final Queue<Runnable> todo = new ConcurrentLinkedQueue<>();
    private long lastNumber;
    private volatile boolean closing;

    private GrantServer(
            Path socket,
            ServerSocketChannel listener,
            SelectionKey listening,
            Selector selector,
            Message.Welcome welcome,
            LinkDirectory links,
            ExtentOwner owner,
            GrantLimits limits,
            Figures figures) {
        this.socket = socket;
        this.listener = listener;
        this.listening = listening;
        this.selector = selector;
        this.datanode = welcome.datanode();
        this.conversation = new GrantConversation(welcome, links, owner, limits.linkTimeoutMs(), figures, this::send);
        this.limits = limits;
        this.figures = figures;
        AtomicInteger number = new AtomicInteger();
        this.workers = Executors.newFixedThreadPool(limits.workers(), work -> {
            Thread worker = new Thread(work, "terrace-grants-worker-" + number.incrementAndGet());
            worker.setDaemon(true);
            return worker;
        });
        this.thread = new Thread(this::run, "terrace-grants-" + datanode);
        this.thread.setDaemon(true);
        figures.gauge(Figure.CHANNEL_CONNECTIONS, sessions::size);
    }

    /**
     * Listens as {@code <uuid>.sock} in the channel directory.
     *
     * @param datanode uuid of the DataNode; unique among those that share the directory
     * @param table whose path and incarnation are told to clients
     * @throws IOException when another process serves under that name, or no socket can be made
     */
    public static GrantServer start(
            ChannelDirectory directory,
            String datanode,
            SlotTable table,
            LinkDirectory links,
            ExtentOwner owner,
            GrantLimits limits,
            Figures figures)
            throws IOException {
        Path socket = directory.socket(datanode);
        ServerSocketChannel listener = ChannelDirectory.listen(socket);
        try {
            listener.configureBlocking(false);
            Selector selector = Selector.open();
            SelectionKey listening = listener.register(selector, SelectionKey.OP_ACCEPT);
            Message.Welcome welcome = new Message.Welcome(
                    datanode,
                    table.path().toAbsolutePath().toString(),
                    table.incarnation(),
                    links.path().toString());
            GrantServer server =
                    new GrantServer(socket, listener, listening, selector, welcome, links, owner, limits, figures);
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
     * Asks a client to end a grant. Its answer, or its end, comes to the owner as {@link ExtentOwner#released} or {@link
     * ExtentOwner#disconnected}; a client that does neither loses the grant when its lease ends. Does not block.
     */
    public void revoke(Peer peer, long grantId, int slot, long sequence) {
        GrantSession session = sessions.get(peer.session());
        if (session != null) {
            figures.increment(Figure.CHANNEL_REVOKES);
            send(session, new Message.Revoke(grantId, slot, sequence));
        }
    }

    /** Ends all sessions, tells the owner, removes the socket. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
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
                selector.select(TICK_MS);
                long nowNs = System.nanoTime();
                for (Runnable work = todo.poll(); work != null; work = todo.poll()) {
                    work.run();
                }
                for (SelectionKey key : selector.selectedKeys()) {
                    serve(key, nowNs);
                }
                selector.selectedKeys().clear();
                sweep(nowNs);
            }
        } catch (IOException | RuntimeException e) {
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
        for (GrantSession session : sessions.values()) {
            end(session);
        }
        while (!sessions.isEmpty() && System.nanoTime() - deadlineNs < 0) {
            for (Runnable work = todo.poll(); work != null; work = todo.poll()) {
                work.run();
            }
            try {
                selector.select(TICK_MS);
            } catch (IOException e) {
                LOG.warn("The grant server's selector failed while it closed", e);
                break;
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("Cannot close the grant server's selector", e);
        }
    }

    private void serve(SelectionKey key, long nowNs) {
        if (key.channel() == listener) {
            accept(nowNs);
            return;
        }
        GrantSession session = (GrantSession) key.attachment();
        try {
            if (key.isWritable() && session.flush(nowNs)) {
                key.interestOpsAnd(~SelectionKey.OP_WRITE);
            }
            if (key.isReadable()) {
                if (session.input.fill(session.channel) < 0) {
                    end(session);
                    return;
                }
                session.lastInputNs = nowNs;
                takeMessages(session, nowNs);
            }
        } catch (MalformedMessageException e) {
            cut(session, e.getMessage());
        } catch (IOException | CancelledKeyException e) {
            LOG.debug("Lost client {} of {}", session.number, session.user, e);
            end(session);
        }
    }

    private void accept(long nowNs) {
        try {
            SocketChannel channel = listener.accept();
            if (channel == null) {
                return;
            }
            try {
                UnixDomainPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
                String user = who.user().getName();
                if (sessions.size() >= limits.connections()
                        || sessionsByUser.getOrDefault(user, 0) >= limits.connectionsPerUser()) {
                    figures.increment(Figure.CHANNEL_CONNECTIONS_REFUSED);
                    channel.close();
                    return;
                }
                channel.configureBlocking(false);
                SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                GrantSession session =
                        new GrantSession(++lastNumber, user, who.group().getName(), channel, key, nowNs);
                key.attach(session);
                sessions.put(session.number, session);
                sessionsByUser.merge(user, 1, Integer::sum);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            // Without a free file descriptor the listener would stay ready and this thread spin: wait for the next
            // sweep.
            LOG.warn("Cannot take a client in", e);
            listening.interestOps(0);
        }
    }

    private void takeMessages(GrantSession session, long nowNs) throws IOException {
        while (!session.busy && !session.ended) {
            ByteBuffer frame = session.input.next();
            if (frame == null) {
                session.partialInput(session.input.isPartial(), nowNs);
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
        session.busy = true;
        session.key.interestOpsAnd(~SelectionKey.OP_READ);
        workers.execute(() -> {
            try {
                call.run();
            } catch (RuntimeException | Error e) {
                // Whatever it was: a session that nobody calls back keeps its place for good.
                LOG.error("A call for client {} of {} failed", session.number, session.user, e);
            }
            onSelector(() -> called(session));
        });
    }

    private void called(GrantSession session) {
        session.busy = false;
        session.partialInput(false, System.nanoTime());
        if (session.ended) {
            tellOwner(session);
            return;
        }
        try {
            session.key.interestOpsOr(SelectionKey.OP_READ);
            takeMessages(session, System.nanoTime());
        } catch (MalformedMessageException e) {
            cut(session, e.getMessage());
        } catch (IOException | CancelledKeyException e) {
            end(session);
        }
    }

    private void send(GrantSession session, Message message) {
        if (session.send(message, System.nanoTime())) {
            onSelector(() -> {
                if (session.key.isValid()) {
                    session.key.interestOpsOr(SelectionKey.OP_WRITE);
                }
            });
        }
    }

    private void onSelector(Runnable work) {
        todo.add(work);
        selector.wakeup();
    }

    private void sweep(long nowNs) {
        listening.interestOps(SelectionKey.OP_ACCEPT);
        long messageNs = TimeUnit.MILLISECONDS.toNanos(limits.messageTimeoutMs());
        long idleNs = TimeUnit.MILLISECONDS.toNanos(limits.idleTimeoutMs());
        for (GrantSession session : sessions.values()) {
            if (session.ended) {
                continue;
            }
            conversation.removeLinks(session, nowNs, false);
            boolean silent = !session.busy && session.isSilent(nowNs, messageNs);
            if (silent) {
                cut(session, "no whole message in " + limits.messageTimeoutMs() + " ms");
            } else if (session.isStuck(nowNs, messageNs)) {
                cut(session, "it does not take its answers");
            } else if (!session.busy && nowNs - session.lastInputNs > idleNs) {
                cut(session, "idle for " + limits.idleTimeoutMs() + " ms");
            }
        }
    }

    private void cut(GrantSession session, @Nullable String why) {
        figures.increment(Figure.CHANNEL_PEERS_CUT);
        LOG.info("Cut client {} of user {}: {}", session.number, session.user, why);
        end(session);
    }

    /** Closes the connection at once and tells the owner as soon as no call of the session runs. */
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
            forget(session);
            return;
        }
        workers.execute(() -> {
            try {
                call.run();
            } catch (RuntimeException | Error e) {
                LOG.error("The end of client {} of {} failed", session.number, session.user, e);
            }
            onSelector(() -> forget(session));
        });
    }

    private void forget(GrantSession session) {
        sessions.remove(session.number);
        sessionsByUser.computeIfPresent(session.user, (user, count) -> count > 1 ? count - 1 : null);
    }
}
