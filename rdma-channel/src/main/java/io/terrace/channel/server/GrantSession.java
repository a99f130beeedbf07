package io.terrace.channel.server;

import io.terrace.channel.FrameDecoder;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection inside a {@link GrantServer}: bytes in and out, and the links that the client was told and has
 * not opened yet.
 *
 * <p>Input belongs to the server's selector thread, and stops while a call of the client runs or an answer waits for room.
 * Output and the links are synchronized: worker threads answer, and any thread may revoke.
 */
final class GrantSession extends GrantDispatcher.Session {
    /** Takes one message; on the selector thread. */
    interface MessageHandler {
        void take(GrantSession session, Message message, int messageBytes) throws IOException;
    }

    /** A client's next message is taken when the call of the one before is done, so that it claims no memory meanwhile. */
    private static final int MOST_CALLS = 1;

    /** A peer that leaves more than this unread is cut. */
    private static final int MAX_QUEUED_BYTES = 1 << 20;

    private static final int MAX_UNOPENED_LINKS = 256;

    private record PendingLink(String name, long deadlineNs) {}

    final long number;
    final String user;
    final SocketChannel channel;
    final SelectionKey key;
    private final String group;
    private final EventLoop loop;
    private final MessageHandler handler;
    private final FrameDecoder input = new FrameDecoder();
    private @Nullable Peer peer;

    /** Whether a call of this session runs, or is about to. */
    private boolean paused;

    /** Whether answers wait for room, before which no more messages are taken. */
    private boolean waitsForRoom;

    boolean ended;

    /** Whether the dispatcher knows of the end. */
    boolean endTold;

    boolean orderly;
    long lastInputNs;
    private boolean partial;
    private long partialSinceNs;

    private final Deque<ByteBuffer> output = new ArrayDeque<>();
    private final Map<Long, PendingLink> links = new HashMap<>();
    private int queuedBytes;
    private long outputSinceNs;
    private boolean broken;

    GrantSession(
            long number,
            UnixDomainPrincipal who,
            SocketChannel channel,
            EventLoop loop,
            Executor workers,
            MessageHandler handler,
            long nowNs)
            throws IOException {
        super(workers, MOST_CALLS);
        this.number = number;
        this.user = who.user().getName();
        this.group = who.group().getName();
        this.channel = channel;
        this.loop = loop;
        this.handler = handler;
        this.lastInputNs = nowNs;
        this.partialSinceNs = nowNs;
        channel.configureBlocking(false);
        this.key = loop.watch(channel, SelectionKey.OP_READ, this);
    }

    /** The client said hello. */
    void hello(String client) {
        peer = new Peer(number, user, group, true, client);
    }

    boolean saidHello() {
        return peer != null;
    }

    @Override
    Peer peer() {
        return Objects.requireNonNull(peer);
    }

    /**
     * Reads what has come, if it may, and takes the messages.
     *
     * @return false at the end of the stream
     */
    boolean readInput(long nowNs) throws IOException {
        if (takesInput()) {
            if (input.fill(channel) < 0) {
                return false;
            }
            lastInputNs = nowNs;
            takeMessages(nowNs);
        }
        return true;
    }

    /** Takes the messages that have come, until a call runs or an answer waits for room. */
    private void takeMessages(long nowNs) throws IOException {
        while (!paused && !ended) {
            waitsForRoom = hasOutput();
            @Nullable ByteBuffer frame = waitsForRoom ? null : input.next();
            if (frame == null) {
                partialInput(!waitsForRoom && input.isPartial(), nowNs);
                watchReads(!waitsForRoom);
                return;
            }
            partialInput(false, nowNs);
            int messageBytes = frame.remaining();
            handler.take(this, MessageCodec.decode(frame), messageBytes);
        }
    }

    /** What came and was not taken. */
    ByteBuffer takeEarly() {
        return input.takeRest();
    }

    @Override
    void pauseInput() {
        paused = true;
        watchReads(false);
    }

    @Override
    void resumeInput() {
        loop.add(key, () -> {
            paused = false;
            takeMessages(System.nanoTime());
        });
    }

    private void watchReads(boolean watched) {
        key.interestOps(watched ? key.interestOps() | SelectionKey.OP_READ : key.interestOps() & ~SelectionKey.OP_READ);
    }

    /** Whether a call of the client runs, or is about to. */
    boolean isBusy() {
        return paused;
    }

    /** Whether something may be read and taken: not while what came before is not done, or its answers are not taken. */
    private boolean takesInput() {
        return !paused && !waitsForRoom && !ended;
    }

    /** Whether a message has begun and is not whole; the clock runs from its first byte, not from its last. */
    private void partialInput(boolean isPartial, long nowNs) {
        if (!isPartial || !partial) {
            partialSinceNs = nowNs;
        }
        partial = isPartial;
    }

    /** Whether the peer sent half a message, or never hello, and then nothing in time. */
    boolean isSilent(long nowNs, long timeoutNs) {
        return takesInput() && (partial || peer == null) && nowNs - partialSinceNs > timeoutNs;
    }

    /** Writes at once what the socket takes; the rest waits for room. */
    @Override
    void send(Message message) {
        if (write(message, System.nanoTime())) {
            loop.add(key, () -> {
                if (key.isValid()) {
                    key.interestOpsOr(SelectionKey.OP_WRITE);
                }
            });
        }
    }

    /** Returns whether the selector should watch for room; a broken session is cut at the next sweep. */
    private synchronized boolean write(Message message, long nowNs) {
        if (broken) {
            return false;
        }
        ByteBuffer frame = MessageCodec.encode(message);
        try {
            if (output.isEmpty()) {
                channel.write(frame);
                outputSinceNs = nowNs;
            }
        } catch (IOException e) {
            broken = true;
            return false;
        }
        if (!frame.hasRemaining()) {
            return false;
        }
        queuedBytes += frame.remaining();
        output.add(frame);
        broken = queuedBytes > MAX_QUEUED_BYTES;
        return !broken;
    }

    /** Writes what waits for room; when all is written, it takes messages again. */
    void writeOutput(long nowNs) throws IOException {
        if (flush(nowNs)) {
            key.interestOpsAnd(~SelectionKey.OP_WRITE);
            if (waitsForRoom) {
                takeMessages(nowNs);
            }
        }
    }

    private synchronized boolean flush(long nowNs) throws IOException {
        while (!output.isEmpty()) {
            ByteBuffer frame = output.element();
            int written = channel.write(frame);
            queuedBytes -= written;
            if (written > 0) {
                outputSinceNs = nowNs;
            }
            if (frame.hasRemaining()) {
                return false;
            }
            output.remove();
        }
        return true;
    }

    private synchronized boolean hasOutput() {
        return !output.isEmpty();
    }

    /** Whether the peer takes nothing any more, or its connection failed while somebody wrote. */
    synchronized boolean isStuck(long nowNs, long timeoutNs) {
        return broken || (!output.isEmpty() && nowNs - outputSinceNs > timeoutNs);
    }

    /** Has the selector thread end the session. */
    @Override
    void close() {
        loop.add(key, () -> {
            throw new IOException("its calls cannot be answered");
        });
    }

    synchronized void expectOpen(long grantId, String link, long deadlineNs) {
        links.put(grantId, new PendingLink(link, deadlineNs));
    }

    /** Whether the peer was told more links than it cares to open. */
    synchronized boolean hasManyLinks() {
        return links.size() >= MAX_UNOPENED_LINKS;
    }

    /** The link of a grant that was opened or ended; null when it is gone already. */
    synchronized @Nullable String takeLink(long grantId) {
        PendingLink link = links.remove(grantId);
        return link == null ? null : link.name();
    }

    /** One link whose time is up, or any when {@code all}; null when there is none. */
    synchronized @Nullable String takeOverdueLink(long nowNs, boolean all) {
        for (Iterator<PendingLink> each = links.values().iterator(); each.hasNext(); ) {
            PendingLink link = each.next();
            if (all || nowNs - link.deadlineNs() > 0) {
                each.remove();
                return link.name();
            }
        }
        return null;
    }
}
