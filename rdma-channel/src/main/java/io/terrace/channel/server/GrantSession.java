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
import org.jspecify.annotations.Nullable;

/**
 * One client's connection inside a {@link GrantServer}: bytes in and out, and the links that the client was told and has
 * not opened yet.
 *
 * <p>Input belongs to the server's selector thread. Output and the links are synchronized: worker threads answer, and any
 * thread may revoke.
 */
final class GrantSession {
    /** A peer that leaves more than this unread is cut. */
    private static final int MAX_QUEUED_BYTES = 1 << 20;

    private static final int MAX_UNOPENED_LINKS = 256;

    private record PendingLink(String name, long deadlineNs) {}

    final long number;
    final String user;
    final String group;
    final SocketChannel channel;
    final SelectionKey key;
    final FrameDecoder input = new FrameDecoder();

    /** Set by HELLO. */
    @Nullable
    Peer peer;

    /** Whether a worker has a call of this session; input waits until it is done. */
    boolean busy;

    /** Whether answers wait for room, before which no more messages are taken. */
    boolean waitsForRoom;

    /** Whether messages were left for the next turn. */
    boolean comesAgain;

    boolean ended;

    /** Whether the owner is told of the end, or will be by a worker. */
    boolean ownerTold;

    boolean orderly;
    long lastInputNs;
    private boolean partial;
    private long partialSinceNs;

    private final Deque<ByteBuffer> output = new ArrayDeque<>();
    private final Map<Long, PendingLink> links = new HashMap<>();
    private int queuedBytes;
    private long outputSinceNs;
    private boolean broken;

    GrantSession(long number, String user, String group, SocketChannel channel, SelectionKey key, long nowNs) {
        this.number = number;
        this.user = user;
        this.group = group;
        this.channel = channel;
        this.key = key;
        this.lastInputNs = nowNs;
        this.partialSinceNs = nowNs;
    }

    /** Whether something may be read and taken: not while what came before is not done, or its answers are not taken. */
    boolean takesInput() {
        return !busy && !waitsForRoom && !comesAgain && !ended;
    }

    /** Whether a message has begun and is not whole; the clock runs from its first byte, not from its last. */
    void partialInput(boolean isPartial, long nowNs) {
        if (!isPartial || !partial) {
            partialSinceNs = nowNs;
        }
        partial = isPartial;
    }

    /** Whether the peer said half a message, or never hello, and then nothing in time. */
    boolean isSilent(long nowNs, long timeoutNs) {
        return (partial || peer == null) && nowNs - partialSinceNs > timeoutNs;
    }

    /**
     * Writes at once what the socket takes and keeps the rest for {@link #flush}.
     *
     * @return whether the selector should watch for room; a broken session says no and is cut at the next sweep
     */
    synchronized boolean send(Message message, long nowNs) {
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

    /** Writes what waits; true when all is written. */
    synchronized boolean flush(long nowNs) throws IOException {
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

    /** Whether something of what was sent waits for room. */
    synchronized boolean hasOutput() {
        return !output.isEmpty();
    }

    /** Whether the peer takes nothing any more, or its connection failed while somebody wrote. */
    synchronized boolean isStuck(long nowNs, long timeoutNs) {
        return broken || (!output.isEmpty() && nowNs - outputSinceNs > timeoutNs);
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
