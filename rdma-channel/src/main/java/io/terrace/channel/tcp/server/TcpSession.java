package io.terrace.channel.tcp.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.TransferStatus;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * The server's end of one connection: parses requests and answers them. Input, output and attached ranges belong to the
 * {@link TcpLoop} it was given to; any thread may send messages.
 */
public final class TcpSession implements Closeable {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    public final long number;
    final SocketChannel channel;
    final InetAddress peerAddress;
    final SendQueue output;
    long lastInputNs;
    boolean ended;

    private final TcpListener listener;
    private final TcpLoop loop;
    private final AttachedRanges attached = new AttachedRanges();

    /** Came and is not taken: a part of a request mostly, several while input waits. */
    private ByteBuffer rest = NOTHING;

    /** Since when the peer could have sent what is missing of it. */
    private long restSinceNs;

    /** Input waited for this side when it was looked at last. */
    private boolean heldBack;

    private volatile boolean gone;
    private final long startNs;
    private boolean known;
    private boolean paused;

    /** The client writes from now on, so this session is about to end. */
    private boolean writes;

    private boolean takesOffer;

    TcpSession(
            long number,
            SocketChannel channel,
            InetAddress peerAddress,
            TcpListener listener,
            TcpLoop loop,
            int maxAnswers,
            long nowNs) {
        this.number = number;
        this.channel = channel;
        this.peerAddress = peerAddress;
        this.listener = listener;
        this.loop = loop;
        this.output = new SendQueue(channel, maxAnswers);
        this.lastInputNs = nowNs;
        this.startNs = nowNs;
    }

    /** Whether the client is on this host, as stock tells it: both ends have the same address. */
    public boolean isOfThisHost() {
        try {
            return channel.getLocalAddress() instanceof InetSocketAddress local
                    && peerAddress.equals(local.getAddress());
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    /** The address of the client's host. */
    public String peerHost() {
        return peerAddress.getHostAddress();
    }

    // On the loop's thread.

    /**
     * Answers what the socket has of requests, as many as may wait; false at its end.
     *
     * @param lent has room for the longest request
     */
    boolean readInput(ByteBuffer lent, long nowNs) throws IOException {
        if (!rest.hasRemaining()) {
            restSinceNs = nowNs;
        }
        lent.clear().put(rest);
        int got = channel.read(lent);
        if (got < 0) {
            return false;
        }
        if (got > 0) {
            lastInputNs = nowNs;
        }
        takeFrom(lent.flip(), nowNs);
        keep(lent);
        return true;
    }

    /** Answers the requests that waited, as many as may wait now. */
    void takeRequests(long nowNs) throws IOException {
        if (rest.hasRemaining()) {
            takeFrom(rest, nowNs);
            if (!rest.hasRemaining()) {
                rest = NOTHING;
            }
        }
    }

    private void takeFrom(ByteBuffer input, long nowNs) throws IOException {
        boolean anew = heldBack;
        while (!writes && input.remaining() >= TcpFrame.HEADER_BYTES && takesInput()) {
            int start = input.position();
            int bodyBytes = input.getInt(start);
            if (bodyBytes < 0 || bodyBytes > TcpFrame.MAX_REQUEST_BYTES - TcpFrame.HEADER_BYTES) {
                throw new MalformedMessageException("a request of " + bodyBytes + " bytes");
            }
            if (input.remaining() < TcpFrame.HEADER_BYTES + bodyBytes) {
                break;
            }
            ByteBuffer body = input.slice(start + TcpFrame.HEADER_BYTES, bodyBytes);
            input.position(start + TcpFrame.HEADER_BYTES + bodyBytes);
            take(input.get(start + TcpFrame.TYPE_AT), input.getLong(start + TcpFrame.NUMBER_AT), body);
            anew = true;
        }
        heldBack = !takesInput();
        if (anew) {
            restSinceNs = nowNs;
        }
    }

    private void keep(ByteBuffer left) {
        int bytes = left.remaining();
        if (bytes == 0) {
            rest = NOTHING;
            return;
        }
        if (rest.capacity() < bytes) {
            // With room, so that a request that comes byte by byte is not a new buffer each time.
            rest = ByteBuffer.allocate(Math.min(TcpFrame.MAX_REQUEST_BYTES, 2 * Integer.highestOneBit(bytes)));
        }
        rest.clear().put(left).flip();
    }

    /** Whether requests are taken: not while too many answers or calls wait. */
    public boolean takesInput() {
        return !output.isFull() && !paused && !writes;
    }

    /** Takes no further request until {@link #resumeInput}. */
    public void pauseInput() {
        paused = true;
    }

    void takeInput() {
        paused = false;
    }

    /** Whether the peer connected so long ago and has neither reached for a range nor said anything. */
    boolean isSilent(long nowNs, long timeoutNs) {
        return !known && nowNs - startNs > timeoutNs;
    }

    /** Whether the rest of a request was not sent for so long, though it would be taken. */
    boolean isHalf(long nowNs, long timeoutNs) {
        return rest.hasRemaining() && !heldBack && takesInput() && nowNs - restSinceNs > timeoutNs;
    }

    /** Gives everything back. */
    void end() {
        gone = true;
        rest = NOTHING;
        output.end();
        attached.detachAll();
    }

    private void take(byte type, long id, ByteBuffer body) throws IOException {
        switch (type) {
            case TcpFrame.READ -> read(id, body);
            case TcpFrame.MESSAGE -> message(body);
            case TcpFrame.ATTACH -> attach(id, body);
            case TcpFrame.DETACH -> detach(body);
            case TcpFrame.START_WRITES -> startWrites(id, body);
            default -> throw new MalformedMessageException("a request of type " + type);
        }
    }

    private void read(long id, ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != TcpFrame.READ_BYTES) {
            throw new MalformedMessageException("a read of " + body.remaining() + " bytes");
        }
        int handle = body.getInt();
        TcpRange range = attached.of(handle);
        long offset = body.getLong();
        int bytes = body.getInt();
        boolean inside = range != null
                && offset >= 0
                && bytes >= 0
                && bytes <= TcpFrame.MAX_READ_BYTES
                && offset <= range.lengthBytes - bytes;
        ChunkChecksums checksums = range != null && inside ? range.begin() : null;
        if (range == null || checksums == null) {
            attached.refused(handle);
            output.add(TcpResponse.Ready.empty(TcpFrame.DATA, TransferStatus.NO_ACCESS, id));
            return;
        }
        boolean goesOn = false;
        try {
            if (!checksums.fits(offset, bytes, range.lengthBytes)) {
                output.add(TcpResponse.Ready.empty(TcpFrame.DATA, TransferStatus.NO_ACCESS, id));
                return;
            }
            range.served.count(offset, bytes);
            if (range.isCutBefore(offset + bytes)) {
                output.add(TcpResponse.Ready.empty(TcpFrame.DATA, TransferStatus.SHORT, id));
            } else {
                output.add(new TcpResponse.Data(id, range, checksums, offset, bytes));
                goesOn = true;
            }
        } finally {
            if (!goesOn) {
                range.end();
            }
        }
    }

    private void attach(long id, ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != TcpFrame.ATTACH_BYTES) {
            throw new MalformedMessageException("an attach of " + body.remaining() + " bytes");
        }
        TcpRange range = listener.find(body);
        ChunkChecksums checksums = range != null && attached.hasRoom() ? range.attach() : null;
        if (range == null || checksums == null) {
            output.add(TcpResponse.Ready.empty(TcpFrame.ATTACHED, TransferStatus.NO_ACCESS, id));
            return;
        }
        known = true;
        ByteBuffer frame = TcpResponse.Ready.frame(TcpFrame.ATTACHED, TransferStatus.DONE, id, TcpFrame.ATTACHED_BYTES);
        frame.putInt(attached.add(range)).put((byte) checksums.kind().ordinal()).putInt(checksums.chunkBytes());
        output.add(new TcpResponse.Ready(frame.array()));
    }

    private void detach(ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != TcpFrame.DETACH_BYTES) {
            throw new MalformedMessageException("a detach of " + body.remaining() + " bytes");
        }
        attached.detach(body.getInt());
    }

    private void message(ByteBuffer body) throws MalformedMessageException {
        ByteBuffer copy = ByteBuffer.allocate(body.remaining()).put(body).flip();
        listener.message(this, copy);
        known = true;
    }

    private void startWrites(long takesOffer, ByteBuffer body) throws MalformedMessageException {
        if (known || body.hasRemaining() || !output.isEmpty()) {
            throw new MalformedMessageException("a wish to write that is not the first of a connection");
        }
        writes = true;
        known = true;
        this.takesOffer = takesOffer == 1;
        loop.handOver(this);
    }

    /** What the client sent after its wish to write. */
    ByteBuffer takeEarly() {
        ByteBuffer early = rest;
        rest = NOTHING;
        return early;
    }

    /** Whether the client that writes takes an OFFER. */
    boolean takesOffer() {
        return takesOffer;
    }

    /** Ranges that are attached. */
    public int attachedCount() {
        return attached.count();
    }

    // On any thread.

    /** Sends a message of at most {@code MessageCodec.MAX_FRAME_BYTES}, once the socket takes it; does not wait for that. */
    public void send(ByteBuffer message) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        requirePeer();
        ByteBuffer frame = TcpResponse.Ready.frame(TcpFrame.MESSAGE, TransferStatus.DONE, 0, message.remaining());
        loop.send(this, new TcpResponse.Ready(frame.put(message).array()));
    }

    /**
     * Sends a frame that answers nothing, which others may be sent too.
     *
     * @param mostBytes of such that may wait: whoever takes less is cut
     */
    public void tell(byte[] frame, long mostBytes) throws IOException {
        requirePeer();
        loop.tell(this, new TcpResponse.Unasked(frame), mostBytes);
    }

    private void requirePeer() throws EOFException {
        if (gone) {
            throw new EOFException("the other side is gone");
        }
    }

    /** Whether it is over, or about to be. */
    public boolean hasEnded() {
        return gone;
    }

    /** Goes on after {@link #pauseInput}. */
    public void resumeInput() {
        loop.resume(this);
    }

    @Override
    public void close() {
        loop.end(this);
    }

    /** What the selector should watch for. */
    int interest() {
        return (takesInput() ? SelectionKey.OP_READ : 0) | (output.isEmpty() ? 0 : SelectionKey.OP_WRITE);
    }
}
