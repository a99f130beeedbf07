package io.terrace.channel.tcp;

import io.terrace.channel.ChannelException;
import io.terrace.channel.Completion;
import io.terrace.channel.Completion.Status;
import io.terrace.channel.Link;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.RegionKey;
import io.terrace.channel.RemoteRegion;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A listener's end of one connection: takes requests apart and answers them. Input, output and attachments belong to the
 * {@link TcpLoop} it was given to; any thread may send messages or wait for them.
 */
final class TcpSession implements Link {
    private static final int FIRST_INPUT_BYTES = 8 * 1024;
    private static final int MAX_WAITING_MESSAGES = 64;
    private static final ByteBuffer WAKEUP = ByteBuffer.allocate(0);

    final long number;
    final SocketChannel channel;
    long lastInputNs;
    long lastOutputNs;
    boolean ended;

    private final TcpListener listener;
    private final TcpLoop loop;
    private final int maxAnswers;
    private final Deque<Answer> output = new ArrayDeque<>();
    /** By handle. A handle is never used again: a region that was detached must not turn into another. */
    private final Map<Integer, TcpRange> attached = new HashMap<>();

    private int lastHandle;
    private final BlockingQueue<ByteBuffer> inbox = new LinkedBlockingQueue<>(MAX_WAITING_MESSAGES);
    private ByteBuffer input = ByteBuffer.allocateDirect(FIRST_INPUT_BYTES);
    private volatile boolean gone;

    TcpSession(long number, SocketChannel channel, TcpListener listener, TcpLoop loop, int maxAnswers, long nowNs) {
        this.number = number;
        this.channel = channel;
        this.listener = listener;
        this.loop = loop;
        this.maxAnswers = maxAnswers;
        this.lastInputNs = nowNs;
        this.lastOutputNs = nowNs;
    }

    // On the loop's thread.

    /** Takes in what the socket has; false at its end. */
    boolean readInput(long nowNs) throws IOException {
        if (!input.hasRemaining()) {
            input.flip();
            input = ByteBuffer.allocateDirect(Wire.MAX_REQUEST_BYTES).put(input);
        }
        int got = channel.read(input);
        if (got > 0) {
            lastInputNs = nowNs;
        }
        return got >= 0;
    }

    /** Answers the requests that are whole, as many as may wait. */
    void takeRequests() throws IOException {
        input.flip();
        while (input.remaining() >= Wire.HEADER_BYTES && !isFull()) {
            int start = input.position();
            int bodyBytes = input.getInt(start);
            if (bodyBytes < 0 || bodyBytes > Wire.MAX_REQUEST_BYTES - Wire.HEADER_BYTES) {
                throw new MalformedMessageException("a request of " + bodyBytes + " bytes");
            }
            if (input.remaining() < Wire.HEADER_BYTES + bodyBytes) {
                break;
            }
            ByteBuffer body = input.slice(start + Wire.HEADER_BYTES, bodyBytes);
            input.position(start + Wire.HEADER_BYTES + bodyBytes);
            take(input.get(start + Wire.TYPE_AT), input.getLong(start + Wire.NUMBER_AT), body);
        }
        input.compact();
    }

    boolean isFull() {
        return output.size() >= maxAnswers;
    }

    boolean hasPartialInput() {
        return input.position() > 0;
    }

    boolean hasOutput() {
        return !output.isEmpty();
    }

    void add(Answer answer) {
        output.add(answer);
    }

    /** Writes what the socket takes, through a buffer that the loop lends; true when nothing is left. */
    boolean flush(ByteBuffer staging, long nowNs) throws IOException {
        while (!output.isEmpty()) {
            Answer first = output.element();
            boolean more = first.isFile() ? sendFile(first, nowNs) : sendStaged(staging, nowNs);
            if (!more) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the socket took all of it. */
    private boolean sendFile(Answer answer, long nowNs) throws IOException {
        sent(answer.sendFile(channel), nowNs);
        return answer.leftBytes() == 0;
    }

    /** Sends the answers up to the first that goes on from a file; returns whether the socket took all of it. */
    private boolean sendStaged(ByteBuffer staging, long nowNs) throws IOException {
        staging.clear();
        for (Answer answer : output) {
            if (!answer.fill(staging)) {
                break;
            }
        }
        sent(channel.write(staging.flip()), nowNs);
        return !staging.hasRemaining();
    }

    private void sent(int bytes, long nowNs) {
        if (bytes > 0) {
            lastOutputNs = nowNs;
        }
        for (int left = bytes; left > 0; ) {
            Answer answer = output.element();
            int part = Math.min(left, answer.leftBytes());
            answer.sent(part);
            left -= part;
            if (answer.leftBytes() == 0) {
                output.remove();
                answer.end();
            }
        }
    }

    /** Gives everything back. */
    void end() {
        ended = true;
        gone = true;
        for (Answer answer : output) {
            answer.end();
        }
        output.clear();
        attached.values().forEach(TcpRange::detach);
        attached.clear();
        wakeup();
    }

    private void take(byte type, long id, ByteBuffer body) throws IOException {
        switch (type) {
            case Wire.READ -> read(id, body);
            case Wire.MESSAGE -> message(body);
            case Wire.ATTACH -> attach(id, body);
            case Wire.DETACH -> detach(body);
            case Wire.WRITE -> write(id, body);
            default -> throw new MalformedMessageException("a request of type " + type);
        }
    }

    private void read(long id, ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != Wire.READ_BYTES) {
            throw new MalformedMessageException("a read of " + body.remaining() + " bytes");
        }
        TcpRange range = attached.get(body.getInt());
        long offset = body.getLong();
        int bytes = body.getInt();
        boolean allowed = range != null
                && offset >= 0
                && bytes >= 0
                && bytes <= Wire.MAX_READ_BYTES
                && offset <= range.lengthBytes - bytes
                && range.checksums.fits(offset, bytes, range.lengthBytes);
        if (range == null || !allowed || !range.begin()) {
            output.add(Answer.Ready.empty(Wire.DATA, Status.NO_ACCESS, id));
            return;
        }
        range.served(offset, bytes);
        Answer.Data data = new Answer.Data(id, range, offset, bytes);
        if (range.isCutBefore(offset + bytes)) {
            data.end();
            output.add(Answer.Ready.empty(Wire.DATA, Status.SHORT, id));
        } else {
            output.add(data);
        }
    }

    private void write(long id, ByteBuffer body) throws IOException {
        if (body.remaining() < Wire.WRITE_HEADER_BYTES) {
            throw new MalformedMessageException("a write of " + body.remaining() + " bytes");
        }
        TcpRange range = attached.get(body.getInt());
        long offset = body.getLong();
        boolean allowed =
                range != null && range.allowsWrites() && offset >= 0 && offset <= range.lengthBytes - body.remaining();
        if (range == null || !allowed || !range.begin()) {
            output.add(Answer.Ready.empty(Wire.WRITTEN, Status.NO_ACCESS, id));
            return;
        }
        try {
            range.write(offset, body);
            output.add(Answer.Ready.empty(Wire.WRITTEN, Status.DONE, id));
        } finally {
            range.end();
        }
    }

    private void attach(long id, ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != Wire.ATTACH_BYTES) {
            throw new MalformedMessageException("an attach of " + body.remaining() + " bytes");
        }
        TcpRange range = listener.find(body);
        if (range == null || attached.size() >= TcpListener.MAX_ATTACHED || !range.attach()) {
            output.add(Answer.Ready.empty(Wire.ATTACHED, Status.NO_ACCESS, id));
            return;
        }
        int handle = Math.incrementExact(lastHandle);
        lastHandle = handle;
        attached.put(handle, range);
        ByteBuffer frame = Answer.Ready.frame(Wire.ATTACHED, Status.DONE, id, Wire.ATTACHED_BYTES);
        frame.putInt(handle).put((byte) range.checksums.kind().ordinal()).putInt(range.checksums.chunkBytes());
        output.add(new Answer.Ready(frame.array()));
    }

    private void detach(ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != Wire.DETACH_BYTES) {
            throw new MalformedMessageException("a detach of " + body.remaining() + " bytes");
        }
        TcpRange range = attached.remove(body.getInt());
        if (range != null) {
            range.detach();
        }
    }

    private void message(ByteBuffer body) throws MalformedMessageException {
        ByteBuffer copy = ByteBuffer.allocate(body.remaining()).put(body).flip();
        if (!listener.message(this, copy) && !inbox.offer(copy)) {
            throw new MalformedMessageException("more messages than anybody takes");
        }
    }

    // On any thread.

    @Override
    public void send(ByteBuffer message, long timeoutNs) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        sendFrame(Wire.MESSAGE, message);
    }

    /** Sends a frame that answers nothing. */
    void sendFrame(byte type, ByteBuffer body) throws IOException {
        if (gone) {
            throw new EOFException("the other side is gone");
        }
        ByteBuffer frame =
                Answer.Ready.frame(type, Status.DONE, 0, body.remaining()).put(body);
        loop.send(this, new Answer.Ready(frame.array()));
    }

    @Override
    public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
        try {
            ByteBuffer message = inbox.poll(timeoutNs, TimeUnit.NANOSECONDS);
            if (message != null && message != WAKEUP) {
                return message;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a message");
        }
        if (gone) {
            throw new EOFException("the other side is gone");
        }
        return null;
    }

    @Override
    public void wakeup() {
        // When it is full, whoever receives does not wait.
        boolean unused = inbox.offer(WAKEUP);
    }

    @Override
    public @Nullable String peerUser() {
        return null;
    }

    /** The connecting side offers no ranges. */
    @Override
    public RemoteRegion attach(RegionKey key) throws IOException {
        throw new ChannelException(Status.NO_ACCESS, "the other side has registered nothing", null);
    }

    @Override
    public int poll(Consumer<Completion> taker, int most) {
        return 0;
    }

    @Override
    public void close() {
        loop.end(this);
    }

    /** What the selector should watch for. */
    int interest() {
        return (isFull() ? 0 : SelectionKey.OP_READ) | (hasOutput() ? SelectionKey.OP_WRITE : 0);
    }
}
