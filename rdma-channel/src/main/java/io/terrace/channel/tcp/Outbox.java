package io.terrace.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/** The answers of one connection that its socket has not taken yet, in their order. Used by the loop that owns it. */
final class Outbox {
    private final SocketChannel channel;
    private final int most;
    private final Deque<Answer> answers = new ArrayDeque<>();

    /** When the other side took something last, or something to take came first. */
    private long sinceNs;

    Outbox(SocketChannel channel, int most) {
        this.channel = channel;
        this.most = most;
    }

    void add(Answer answer) {
        if (answers.isEmpty()) {
            sinceNs = System.nanoTime();
        }
        answers.add(answer);
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

    /** Writes what the socket takes, through a buffer that is lent; true when nothing is left. */
    boolean flush(ByteBuffer staging, long nowNs) throws IOException {
        while (!answers.isEmpty()) {
            Answer first = answers.element();
            boolean more = first.isFile() ? sendFile(first, nowNs) : sendStaged(staging, nowNs);
            if (!more) {
                return false;
            }
        }
        return true;
    }

    /** Nothing is sent any more. */
    void end() {
        answers.forEach(Answer::end);
        answers.clear();
    }

    /** Returns whether the socket took all of it. */
    private boolean sendFile(Answer answer, long nowNs) throws IOException {
        sent(answer.sendFile(channel), nowNs);
        return answer.leftBytes() == 0;
    }

    /** Sends the answers up to the first that goes on from a file; returns whether the socket took all of it. */
    private boolean sendStaged(ByteBuffer staging, long nowNs) throws IOException {
        staging.clear();
        for (Answer answer : answers) {
            if (!answer.fill(staging)) {
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
            Answer answer = answers.element();
            int part = Math.min(left, answer.leftBytes());
            answer.sent(part);
            left -= part;
            if (answer.leftBytes() == 0) {
                answers.remove();
                answer.end();
            }
        }
    }
}
