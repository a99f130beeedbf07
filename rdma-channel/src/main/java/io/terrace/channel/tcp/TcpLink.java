package io.terrace.channel.tcp;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ResidentBlocks;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.transport.RegionKey;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of one connection. Thread-safe except for {@link #receive}, which one thread at a time may call;
 * {@link RequestMultiplexer} says how threads share it.
 */
public final class TcpLink implements Closeable {
    private static final int MAX_INBOX = 1024;

    private final SocketAddress where;
    private final RequestMultiplexer requestMultiplexer;
    private final TcpLimits limits;
    private final ChunkVerifier.Maker verifiers;
    private final DirectBufferPool buffers;
    private final BlockingQueue<ByteBuffer> inbox = new LinkedBlockingQueue<>(MAX_INBOX);
    private volatile ResidentBlocks resident = ResidentBlocks.NONE;
    private volatile boolean woken;

    private TcpLink(
            SocketAddress where,
            SocketChannel channel,
            Selector selector,
            TcpLimits limits,
            ChunkVerifier.Maker verifiers,
            DirectBufferPool buffers) {
        this.where = where;
        this.limits = limits;
        this.verifiers = verifiers;
        this.buffers = buffers;
        this.requestMultiplexer = new RequestMultiplexer(channel, selector, limits, new Unasked());
    }

    /** Connects in time or throws. */
    public static TcpLink connect(SocketAddress where, TcpLimits limits, long timeoutNs) throws IOException {
        return connect(where, limits, ChunkVerifier.JDK, timeoutNs);
    }

    /**
     * Connects in time or throws.
     *
     * @param verifiers compare what is read with its checksums; both are given to them in direct buffers
     */
    public static TcpLink connect(SocketAddress where, TcpLimits limits, ChunkVerifier.Maker verifiers, long timeoutNs)
            throws IOException {
        return connect(where, limits, verifiers, DirectBufferPool.SHARED, timeoutNs);
    }

    private static TcpLink connect(
            SocketAddress where,
            TcpLimits limits,
            ChunkVerifier.Maker verifiers,
            DirectBufferPool buffers,
            long timeoutNs)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            try {
                SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
                if (!channel.connect(where)) {
                    selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
                    if (!channel.finishConnect()) {
                        throw new SocketTimeoutException("no connection to " + where + " in time");
                    }
                    selector.selectedKeys().clear();
                }
                key.interestOps(SelectionKey.OP_READ);
                return new TcpLink(where, channel, selector, limits, verifiers, buffers);
            } catch (IOException | RuntimeException | Error e) {
                selector.close();
                throw e;
            }
        } catch (OutOfMemoryError e) {
            // As for buffers of responses: the reader goes on with stock HDFS.
            channel.close();
            throw new IOException("no direct memory for a connection to " + where, e);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** One more connection to the same place, which shares this one's buffers; in time or throws. */
    public TcpLink beside(long timeoutNs) throws IOException {
        return connect(where, limits, verifiers, buffers, timeoutNs);
    }

    /** What the other side said last of the blocks it has; {@link #pollInput} first, for what arrived since. */
    public ResidentBlocks resident() {
        return resident;
    }

    /** Takes in what arrived while nobody waited; never waits. */
    public void pollInput() {
        requestMultiplexer.pollInput();
    }

    public boolean hasEnded() {
        return requestMultiplexer.failure() != null;
    }

    /** Whether anything came from the other side since a time by {@link System#nanoTime}. */
    public boolean hasHeardSince(long nanoTime) {
        return requestMultiplexer.lastHeardNs() - nanoTime >= 0;
    }

    /** Asked for and not arrived, as of a moment ago. */
    long bytesInFlight() {
        return requestMultiplexer.bytesInFlight();
    }

    /**
     * Sends a message of at most {@code MessageCodec.MAX_FRAME_BYTES}.
     *
     * @throws IOException when it is not all sent in time; the link is of no more use then
     */
    public void send(ByteBuffer message, long timeoutNs) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        requestMultiplexer.tell(TcpFrame.MESSAGE, message, System.nanoTime() + timeoutNs);
    }

    /**
     * The next message; null when none came in time or {@link #wakeup} was called.
     *
     * @throws EOFException when the other side is gone
     */
    public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
        requestMultiplexer.driveUntil(() -> !inbox.isEmpty() || woken, System.nanoTime() + timeoutNs);
        woken = false;
        ByteBuffer message = inbox.poll();
        IOException failure = requestMultiplexer.failure();
        if (message == null && failure != null) {
            throw new EOFException("the other side is gone: " + failure.getMessage());
        }
        return message;
    }

    /** Lets a waiting {@link #receive} return. */
    public void wakeup() {
        woken = true;
        requestMultiplexer.wakeup();
    }

    /**
     * Reaches for a registered range, within a time.
     *
     * @throws io.terrace.channel.transport.ChannelException with NO_ACCESS when the key is void or lies about the range
     */
    public TcpExtent attach(RegionKey key, long timeoutNs) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(TcpFrame.ATTACH_BYTES);
        body.putLong(key.high()).putLong(key.low()).putLong(key.address()).putLong(key.lengthBytes());
        body.put((byte) (key.access() == Access.READ_WRITE ? 1 : 0)).flip();
        ByteBuffer answer = ByteBuffer.allocate(TcpFrame.ATTACHED_BYTES);
        long deadlineNs = System.nanoTime() + timeoutNs;
        requestMultiplexer.await(
                requestMultiplexer.begin(TcpFrame.ATTACH, body, new BufferSink(answer), deadlineNs), deadlineNs);
        answer.flip();
        int handle = answer.getInt();
        byte kind = answer.get();
        int chunkBytes = answer.getInt();
        ChecksumType[] kinds = ChecksumType.values();
        if (kind < 0 || kind >= kinds.length || chunkBytes < 1 || chunkBytes > ChunkChecksums.MAX_CHUNK_BYTES) {
            throw new MalformedMessageException("checksums of kind " + kind + ", " + chunkBytes + " bytes a chunk");
        }
        return new TcpExtent(
                requestMultiplexer,
                buffers,
                key,
                handle,
                kinds[kind],
                chunkBytes,
                verifiers.of(kinds[kind], chunkBytes));
    }

    @Override
    public void close() throws IOException {
        requestMultiplexer.close();
    }

    private final class Unasked implements RequestMultiplexer.Unasked {
        @Override
        public void message(ByteBuffer message) throws MalformedMessageException {
            if (!inbox.offer(message)) {
                throw new MalformedMessageException("more messages than anybody takes");
            }
        }

        @Override
        public void resident(ByteBuffer body) throws MalformedMessageException {
            resident = resident.after(body);
        }
    }
}
