package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a write connection to a DataNode; it never blocks. Used by one thread at a time, and by one file at
 * a time, whose selector it is registered with.
 */
public final class WriteConnection implements Closeable {
    /** Holds any header, and the bodies that come in large number. */
    private static final int INPUT_BYTES = 4 << 10;

    /**
     * A Unix socket holds 208 KB unless it is told otherwise, less than two pieces that a DataNode reads: both sides wait for
     * each other at every piece. More than this leaves the processor's cache. The kernel may allow less.
     */
    private static final int LOCAL_SEND_BYTES = 1 << 20;

    private final SocketChannel channel;
    private final String datanode;
    private final LandingClient landing;
    private ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES).flip();
    private @Nullable SelectionKey key;

    /** A key's ready set says what was found when it was selected last, which may be long ago. */
    private boolean readable;

    private WriteConnection(SocketChannel channel, String datanode, LandingClient landing) {
        this.channel = channel;
        this.datanode = datanode;
        this.landing = landing;
    }

    /** The uuid of the DataNode. */
    public String datanode() {
        return datanode;
    }

    /** Its landing window. */
    public LandingClient landing() {
        return landing;
    }

    /**
     * Connects in time or throws; the connection has no landing window.
     *
     * @param datanode its uuid
     * @param hello sent first: makes the connection one for writes
     */
    public static WriteConnection connect(String datanode, SocketAddress address, ByteBuffer hello, long timeoutNs)
            throws IOException {
        return connect(datanode, address, hello, LandingClient.NONE, timeoutNs);
    }

    /**
     * Connects in time or throws.
     *
     * @param datanode its uuid
     * @param hello sent first: makes the connection one for writes
     * @param landing closed with the connection
     */
    public static WriteConnection connect(
            String datanode, SocketAddress address, ByteBuffer hello, LandingClient landing, long timeoutNs)
            throws IOException {
        boolean local = address instanceof UnixDomainSocketAddress;
        SocketChannel channel = local ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
        try {
            if (local) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, LOCAL_SEND_BYTES);
            } else {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            channel.configureBlocking(false);
            if (!channel.connect(address)) {
                awaitConnected(channel, timeoutNs);
            }
            channel.write(hello);
            if (hello.hasRemaining()) {
                throw new IOException(address + " takes nothing");
            }
            return new WriteConnection(channel, datanode, landing);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void awaitConnected(SocketChannel channel, long timeoutNs) throws IOException {
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_CONNECT);
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
            if (!channel.finishConnect()) {
                throw new SocketTimeoutException("no connection in time");
            }
        }
    }

    /** From now on this selector says when it is ready. */
    public void register(Selector selector) throws IOException {
        readable = false;
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Lets another selector say when the socket takes more, until that one is closed. */
    public void registerOutput(Selector selector) throws IOException {
        SelectionKey unused = channel.register(selector, SelectionKey.OP_WRITE);
    }

    /** What {@link #register} did is undone; the connection may go to another file. */
    public void deregister(Selector selector) throws IOException {
        SelectionKey registered = key;
        key = null;
        if (registered != null) {
            registered.cancel();
            selector.selectNow();
        }
    }

    /** Says what the selector waits for, beside input. */
    public void awaitOutput(boolean wanted) {
        SelectionKey registered = key;
        if (registered != null) {
            int operations = wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
            if (registered.interestOps() != operations) {
                registered.interestOps(operations);
            }
        }
    }

    /** Nothing is expected of it: the selector waits for others alone, whatever comes. */
    public void awaitNothing() {
        SelectionKey registered = key;
        if (registered != null) {
            registered.interestOps(0);
        }
    }

    /** To be called after each selection: tells the connections that are registered with the selector what it has found. */
    public static void takeSelected(Selector selector) {
        for (SelectionKey selected : selector.selectedKeys()) {
            if (selected.attachment() instanceof WriteConnection connection) {
                connection.readable |= selected.isReadable();
            }
        }
        selector.selectedKeys().clear();
    }

    /** Whether the selector has found input, or the connection's end, since that was read last. */
    public boolean isReadable() {
        return readable;
    }

    /** Sends as much as the socket takes now; whether that was all. */
    public boolean send(ByteBuffer bytes) throws ConnectionEndedException {
        try {
            while (bytes.hasRemaining()) {
                if (channel.write(bytes) == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new ConnectionEndedException(e);
        }
    }

    /** Sends as much of two buffers, one after the other, as the socket takes now; whether that was all. */
    public boolean send(ByteBuffer first, ByteBuffer second) throws ConnectionEndedException {
        if (!first.hasRemaining()) {
            return send(second);
        }
        ByteBuffer[] both = {first, second};
        try {
            while (second.hasRemaining()) {
                if (channel.write(both) == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new ConnectionEndedException(e);
        }
    }

    /**
     * Takes in what has arrived, as far as there is room for it; whether that was anything.
     *
     * @throws ConnectionEndedException when the other side is gone
     */
    public boolean fill() throws ConnectionEndedException {
        int count = read();
        if (count < 0) {
            throw new ConnectionEndedException("the DataNode closed the connection");
        }
        return count > 0;
    }

    private int read() throws ConnectionEndedException {
        // What there is no room for is found again.
        readable = false;
        input.compact();
        try {
            return channel.read(input);
        } catch (IOException e) {
            throw new ConnectionEndedException(e);
        } finally {
            input.flip();
        }
    }

    /** The next frame that was taken in whole, but for those of its landing window; null when there is none. */
    public @Nullable Received next() throws MalformedMessageException {
        Received got = take();
        while (got != null && isOfWindow(got)) {
            got = take();
        }
        return got;
    }

    private boolean isOfWindow(Received got) throws MalformedMessageException {
        switch (got.frame().type()) {
            case WriteFrame.OFFER -> landing.offered(WindowFrame.offered(got.body()));
            case WriteFrame.WINDOW -> landing.answered(WindowFrame.answered(got.body()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private @Nullable Received take() throws MalformedMessageException {
        if (input.remaining() < WriteFrame.HEADER_BYTES) {
            return null;
        }
        int start = input.position();
        WriteFrame header = WriteFrame.decode(input);
        if (header.bodyBytes() > WriteFrame.MAX_PROTO_BYTES) {
            throw new MalformedMessageException("a DataNode that sends data");
        }
        if (input.remaining() < header.bodyBytes()) {
            input.position(start);
            int wholeBytes = WriteFrame.HEADER_BYTES + header.bodyBytes();
            if (input.capacity() < wholeBytes) {
                input = ByteBuffer.allocate(wholeBytes).put(input).flip();
            }
            return null;
        }
        ByteBuffer body = input.slice(input.position(), header.bodyBytes());
        input.position(input.position() + header.bodyBytes());
        return new Received(header, body);
    }

    /** Whether the other side is there and has said nothing but of its landing window, as an idle one must. */
    public boolean isIdle() {
        try {
            return read() >= 0 && next() == null && !input.hasRemaining();
        } catch (ConnectionEndedException | MalformedMessageException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        CloseAll.all(channel, landing);
    }

    /**
     * A frame of the DataNode.
     *
     * @param body valid until more is taken in
     */
    public record Received(WriteFrame frame, ByteBuffer body) {}
}
