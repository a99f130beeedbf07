package io.terrace.datanode.write;

import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What of a block is to be sent to the next DataNode: frames that the client sent, without their data. Frames that wait are
 * put together, so a next DataNode that is slow gets few large ones.
 *
 * <p>It also says who may send. The replica's writer may begin a frame when nobody sends and none waits. A frame that it
 * begins is its own to the frame's end, or as far as the socket takes it; the rest, and all that is added meanwhile, is the
 * forwarder's. Thread-safe.
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

    /** Who is using the connection's output. */
    private enum Sender {
        NOBODY,
        WRITER,
        FORWARDER
    }

    private final Deque<Part> parts = new ArrayDeque<>();
    private final int mostBytes;
    private final long lagBytes;
    private long addedBytes;
    private long ackedBytes;
    private boolean ended;
    private boolean waitsNoMore;
    private Sender sender = Sender.NOBODY;

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

    /** The writer's: whether it may send its next frame itself. If so, {@link #release} is to follow. */
    synchronized boolean claim() {
        if (sender != Sender.NOBODY || !parts.isEmpty()) {
            return false;
        }
        sender = Sender.WRITER;
        return true;
    }

    /**
     * The writer's: it does not send any more.
     *
     * @param part the frame that it has begun
     * @param whole whether all of it is sent; else the rest is the forwarder's
     */
    synchronized void release(Part part, boolean whole) {
        addedBytes = part.endOffset;
        sender = whole ? Sender.NOBODY : Sender.FORWARDER;
    }

    /** The forwarder's: whether there is something for it to send. If so, it may, until {@link #poll} finds nothing. */
    synchronized boolean take() {
        if (sender == Sender.NOBODY && !parts.isEmpty()) {
            sender = Sender.FORWARDER;
        }
        return sender == Sender.FORWARDER;
    }

    /** The forwarder's: whether it may send something of its own; only if nobody sends and no frame waits. */
    synchronized boolean takeIdle() {
        if (sender != Sender.NOBODY || !parts.isEmpty()) {
            return false;
        }
        sender = Sender.FORWARDER;
        return true;
    }

    /** The forwarder's: the next one to send. When there is none, null, and the writer may send. */
    synchronized @Nullable Part poll() {
        Part part = parts.poll();
        if (part == null) {
            sender = Sender.NOBODY;
        }
        return part;
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

    /** Whoever waits for the next DataNode, now or later, fails instead: the block is to end here. */
    synchronized void waitNoMore() {
        waitsNoMore = true;
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
        if (waitsNoMore) {
            throw new InterruptedIOException("ended while the next DataNode takes the block");
        }
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the next DataNode takes the block");
        }
    }
}
