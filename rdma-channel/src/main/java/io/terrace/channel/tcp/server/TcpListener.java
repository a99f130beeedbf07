package io.terrace.channel.tcp.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.common.CloseAll;
import io.terrace.common.FairQuota;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves ranges over tcp: accepts connections, spreads them over a few {@link TcpLoop}s, and finds the registered
 * ranges by their keys. Thread-safe.
 */
public final class TcpListener implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpListener.class);
    private static final int BACKLOG = 256;

    private record Secret(long high, long low) {}

    private final TcpAcceptor acceptor;
    private final SocketAddress address;
    private final TcpLimits limits;
    private final MessageHandler messageHandler;
    private final SecureRandom random = new SecureRandom();
    private final SharedFiles files = new SharedFiles();
    private final Map<Secret, TcpRange> ranges = new ConcurrentHashMap<>();
    private final Set<TcpSession> sessions = ConcurrentHashMap.newKeySet();
    private final FairQuota<InetAddress> connections;
    /** Those that run. */
    final List<TcpLoop> loops = new CopyOnWriteArrayList<>();

    private long lastNumber;

    private TcpListener(ServerSocketChannel server, TcpLimits limits, MessageHandler messageHandler)
            throws IOException {
        this.address = server.getLocalAddress();
        this.limits = limits;
        this.messageHandler = messageHandler;
        this.connections = new FairQuota<>(limits.connections(), limits.addressConnections());
        for (int i = 0; i < limits.threads(); i++) {
            loops.add(new TcpLoop("terrace-tcp-" + address + "-" + i, this, limits));
        }
        this.acceptor = new TcpAcceptor(server, address.toString(), this::take);
    }

    /** @param messageHandler answers control messages */
    public static TcpListener open(SocketAddress where, TcpLimits limits, MessageHandler messageHandler)
            throws IOException {
        TcpListener listener = bind(where, limits, messageHandler);
        listener.start();
        return listener;
    }

    /** Likewise, but serves nobody before {@link #start}: who connects meanwhile waits. */
    public static TcpListener bind(SocketAddress where, TcpLimits limits, MessageHandler messageHandler)
            throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        try {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(where, BACKLOG);
            return new TcpListener(server, limits, messageHandler);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Serves who connects to a socket that listens. */
    static TcpListener serve(ServerSocketChannel server, TcpLimits limits, MessageHandler messageHandler)
            throws IOException {
        TcpListener listener = new TcpListener(server, limits, messageHandler);
        listener.start();
        return listener;
    }

    public void start() {
        loops.forEach(TcpLoop::start);
        acceptor.start();
    }

    public SocketAddress address() {
        return address;
    }

    /** Makes a range readable for whoever is told its key; reads bring its checksums along. */
    public TcpRange register(ExtentRange range, ChunkChecksums checksums) throws IOException {
        SharedFiles.OpenFile file = files.open(range.file());
        try {
            if (file.channel().size() != range.lengthBytes() || !checksums.cover(range.lengthBytes())) {
                throw new IOException("a range of " + range.lengthBytes() + " bytes with " + checksums
                        + " whose file is another size, or not all covered");
            }
        } catch (IOException | RuntimeException | Error e) {
            // Also a device that does not even tell the size: it would be asked again and again.
            CloseAll.after(e, List.of(file::release));
            throw e;
        }
        RegionKey key =
                new RegionKey(random.nextLong(), random.nextLong(), range.address(), range.lengthBytes(), Access.READ);
        TcpRange registered = new TcpRange(key, file, checksums);
        ranges.put(new Secret(key.high(), key.low()), registered);
        return registered;
    }

    /** Makes a key void: nobody attaches with it any more; what is attached already stays. */
    public void deregister(RegionKey key) {
        TcpRange range = ranges.remove(new Secret(key.high(), key.low()));
        if (range != null) {
            range.deregister();
        }
    }

    /** Makes a key void and ends what is attached with it; tells when no operation on it is in progress any more. */
    public void revoke(RegionKey key, Runnable then) {
        TcpRange range = ranges.remove(new Secret(key.high(), key.low()));
        if (range == null) {
            then.run();
        } else {
            range.revoke(then);
        }
    }

    /** The range that an ATTACH names truthfully, or null. */
    @Nullable
    TcpRange find(ByteBuffer attach) {
        TcpRange range = ranges.get(new Secret(attach.getLong(), attach.getLong()));
        if (range == null) {
            return null;
        }
        RegionKey key = range.key;
        boolean truthful =
                attach.getLong() == key.address() && attach.getLong() == key.lengthBytes() && attach.get() == 0;
        return truthful ? range : null;
    }

    public int connections() {
        return sessions.size();
    }

    /** Files that ranges for reading have open. */
    int openFiles() {
        return files.count();
    }

    void message(TcpSession session, ByteBuffer message) throws MalformedMessageException {
        messageHandler.message(session, message);
    }

    /** A session's connection is given to whoever serves writes; until it ends it counts as one of this listener's. */
    void handOver(TcpSession session, ByteBuffer early) throws IOException {
        SocketChannel channel = session.channel;
        messageHandler.writes(new AcceptedConnection(
                channel,
                early,
                channel.getRemoteAddress().toString(),
                channel.getLocalAddress().toString(),
                session.takesOffer(),
                () -> leave(session)));
    }

    /** A session is about to end by its peer's fault. */
    void cut() {
        messageHandler.cut();
    }

    void ended(TcpSession session) {
        leave(session);
        messageHandler.ended(session);
    }

    /** The loop serves nobody any more. When none is left, whoever connects should not wait for an answer. */
    void ended(TcpLoop loop) {
        loops.remove(loop);
        if (loops.isEmpty()) {
            try {
                acceptor.close();
            } catch (IOException e) {
                LOG.warn("Cannot stop listening at {}", address, e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
        loops.forEach(TcpLoop::close);
        for (TcpRange range : ranges.values()) {
            range.deregister();
        }
        ranges.clear();
    }

    /** On the acceptor's thread. */
    private void take(SocketChannel channel) throws IOException {
        InetAddress from = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        if (!connections.take(from, 1)) {
            LOG.debug("Too many connections at {}, from {} or in all", address, from);
            channel.close();
            messageHandler.refused();
            return;
        }
        TcpSession session = null;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            TcpLoop loop = nextLoop();
            TcpSession fresh =
                    new TcpSession(lastNumber, channel, from, this, loop, limits.operations(), System.nanoTime());
            sessions.add(fresh);
            session = fresh;
            loop.adopt(session);
        } catch (IOException | RuntimeException | Error e) {
            if (session == null) {
                connections.release(from, 1);
            } else {
                leave(session);
            }
            throw e;
        }
    }

    private TcpLoop nextLoop() throws ClosedChannelException {
        lastNumber++;
        Object[] running = loops.toArray();
        if (running.length == 0) {
            throw new ClosedChannelException();
        }
        return (TcpLoop) running[(int) (lastNumber % running.length)];
    }

    private void leave(TcpSession session) {
        if (sessions.remove(session)) {
            connections.release(session.peerAddress, 1);
        }
    }
}
