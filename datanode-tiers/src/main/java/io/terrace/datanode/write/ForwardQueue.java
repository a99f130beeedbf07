package io.terrace.datanode.write;

import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What of a block is to be sent to the next DataNode: frames that the client sent, without their data. Frames that wait are
 * put together, so a next DataNode that is slow gets few large ones. Thread-safe.
 */
final class ForwardQueue {
    /**
     * A frame.
     *
     * @param offset of its data, a chunk's first byte; where it has none, the block's length
     * @param endOffset where its data ends
     * @param lastSum the checksum of its last chunk, which a later frame may make longer
     */
    record Part(long number, long offset, long endOffset, int flags, int lastSum) {
        int dataBytes() {
            return (int) (endOffset - offset);
        }

        boolean has(byte flag) {
            return (flags & flag) != 0;
        }

        private Part and(Part next) {
            long from = offset == endOffset ? next.offset : offset;
            int sum = next.offset == next.endOffset ? lastSum : next.lastSum;
            return new Part(next.number, from, next.endOffset, flags | next.flags, sum);
        }
    }

    private final Deque<Part> parts = new ArrayDeque<>();
    private final int mostBytes;
    private final long lagBytes;
    private long addedBytes;
    private long ackedBytes;
    private boolean ended;

    /**
     * An empty one.
     *
     * @param startBytes the block's length when it was opened
     * @param lagBytes {@link #awaitRoom} waits while the next DataNode lacks more than that
     */
    ForwardQueue(int chunkBytes, long startBytes, long lagBytes) {
        this.mostBytes = WriteData.mostBytes(chunkBytes, WriteFrame.MAX_DATA_BYTES);
        this.lagBytes = lagBytes;
        this.addedBytes = startBytes;
        this.ackedBytes = startBytes;
    }

    synchronized void add(Part part) {
        addedBytes = part.endOffset;
        Part last = parts.peekLast();
        Part both = last == null ? part : last.and(part);
        if (last != null && both.dataBytes() <= mostBytes) {
            parts.removeLast();
            parts.add(both);
        } else {
            parts.add(part);
        }
    }

    /** The next one to send; null when there is none. */
    synchronized @Nullable Part poll() {
        return parts.poll();
    }

    synchronized boolean isEmpty() {
        return parts.isEmpty();
    }

    /** The next DataNode has so much of the block. */
    synchronized void acked(long bytes) {
        ackedBytes = Math.max(ackedBytes, bytes);
        notifyAll();
    }

    /** Nobody sends any more. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits until the next DataNode lacks little enough, or {@link #end}. */
    synchronized void awaitRoom() throws InterruptedIOException {
        while (addedBytes - ackedBytes > lagBytes && !ended) {
            await();
        }
    }

    /** Waits for {@link #end}. */
    synchronized void awaitEnd() throws InterruptedIOException {
        while (!ended) {
            await();
        }
    }

    private void await() throws InterruptedIOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the next DataNode takes the block");
        }
    }
}
