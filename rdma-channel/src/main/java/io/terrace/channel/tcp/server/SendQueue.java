package io.terrace.channel.tcp.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The responses of one connection that its socket has not taken yet, in order. Used by the loop that owns the session.
 */
final class SendQueue {
    private final WritableByteChannel channel;
    private final int most;
    private final Deque<TcpResponse> answers = new ArrayDeque<>();

    /** When the other side took something last, or something to take came first. */
    private long sinceNs;

    /** The channel took less than it was given, and has not said since that it takes more. */
    private boolean blocked;

    private long unaskedBytes;
    private long added;
    private long taken;

    /** So many had been added then, and are to be taken in time. */
    private long marked;

    private long markedNs;

    SendQueue(WritableByteChannel channel, int most) {
        this.channel = channel;
        this.most = most;
    }

    void add(TcpResponse tcpResponse) {
        if (answers.isEmpty()) {
            sinceNs = System.nanoTime();
        }
        answers.add(tcpResponse);
        added++;
    }

    /**
     * Adds what the other side did not ask for.
     *
     * @param mostBytes of such that may wait
     * @return false when more waits already
     */
    boolean addUnasked(TcpResponse.Unasked frame, long mostBytes) {
        if (unaskedBytes + frame.leftBytes() > mostBytes) {
            return false;
        }
        unaskedBytes += frame.leftBytes();
        add(frame);
        return true;
    }

    boolean isEmpty() {
        return answers.isEmpty();
    }

    /** Whether so many wait that no more should be asked for. */
    boolean isFull() {
        return answers.size() >= most;
    }

    /** Whether something waits, and the other side has taken nothing for so long. */
    boolean isStuck(long nowNs, long timeoutNs) {
        return !answers.isEmpty() && nowNs - sinceNs > timeoutNs;
    }

    /**
     * Whether something has waited for so long, or up to twice as long, though the other side may have taken others: asked now
     * and then.
     */
    boolean isBehind(long nowNs, long timeoutNs) {
        if (taken >= marked) {
            marked = added;
            markedNs = nowNs;
            return false;
        }
        return nowNs - markedNs > timeoutNs;
    }

    /** The channel takes something again. */
    void writable() {
        blocked = false;
    }

    /** Writes what the socket takes, through a buffer that is lent; true when nothing is left. */
    boolean flush(ByteBuffer staging, long nowNs) throws IOException {
        while (!blocked && !answers.isEmpty()) {
            TcpResponse first = answers.element();
            blocked = !(first.isFile() ? sendFile(first, nowNs) : sendStaged(staging, nowNs));
        }
        return answers.isEmpty();
    }

    /** Nothing is sent any more. */
    void end() {
        answers.forEach(TcpResponse::end);
        answers.clear();
    }

    /** Returns whether the socket took all of it. */
    private boolean sendFile(TcpResponse tcpResponse, long nowNs) throws IOException {
        sent(tcpResponse.sendFile(channel), nowNs);
        return tcpResponse.leftBytes() == 0;
    }

    /** Sends the answers up to the first that goes on from a file; returns whether the socket took all of it. */
    private boolean sendStaged(ByteBuffer staging, long nowNs) throws IOException {
        staging.clear();
        for (TcpResponse tcpResponse : answers) {
            if (!tcpResponse.fill(staging)) {
                break;
            }
        }
        sent(channel.write(staging.flip()), nowNs);
        return !staging.hasRemaining();
    }

    private void sent(int bytes, long nowNs) {
        if (bytes > 0) {
            sinceNs = nowNs;
        }
        for (int left = bytes; left > 0; ) {
            TcpResponse tcpResponse = answers.element();
            int part = Math.min(left, tcpResponse.leftBytes());
            tcpResponse.sent(part);
            left -= part;
            if (tcpResponse.leftBytes() == 0) {
                answers.remove();
                taken++;
                unaskedBytes -= tcpResponse.unaskedBytes();
                tcpResponse.end();
            }
        }
    }
}
