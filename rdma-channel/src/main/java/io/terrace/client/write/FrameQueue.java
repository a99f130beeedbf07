package io.terrace.client.write;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one file between the thread that writes it and the file's streamer, which sends them. Frames that are
 * not acknowledged are still held: the streamer gives them back to be sent elsewhere. Thread-safe.
 */
final class FrameQueue implements FrameSource, FramePool.Holder {
    /** How a wait for an acknowledgement ended. */
    enum Wait {
        ACKED,
        TIMED_OUT,
        /** Stock's stream sends what is left, or nobody does. */
        NOT_SENT
    }

    private enum State {
        OPEN,
        /** Stock's stream sends what is left. */
        STOCK,
        ENDED
    }

    private final FramePool pool;
    private final Runnable wakeStreamer;
    private final boolean retains;
    private final Deque<DataFrame> unsent = new ArrayDeque<>();

    /** Frames in their order, from the first that is not acknowledged by all. */
    private final Deque<DataFrame> unacked = new ArrayDeque<>();

    private volatile State state = State.OPEN;

    private volatile boolean complete;
    private boolean written;

    private long lastQueued;
    private long lastAcked;
    private volatile long heldBytes;
    private volatile long unsentBytes;

    /**
     * An empty one.
     *
     * @param retains whether what was sent waits for several DataNodes
     * @param wakeStreamer called when there is something to send
     */
    FrameQueue(FramePool pool, boolean retains, Runnable wakeStreamer) {
        this.pool = pool;
        this.retains = retains;
        this.wakeStreamer = wakeStreamer;
    }

    @Override
    public long heldBytes() {
        return state == State.OPEN ? heldBytes : 0;
    }

    /** With several replicas, what is not sent: what was sent waits for the slowest DataNode, and the fastest need not. */
    @Override
    public long boundedBytes() {
        return retains && state == State.OPEN ? unsentBytes : heldBytes();
    }

    /** Whether what is queued is sent. */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** Queues a sealed frame; where the file has ended it is dropped. */
    void add(DataFrame frame) {
        synchronized (this) {
            if (state == State.ENDED) {
                pool.give(frame.memory());
                return;
            }
            unsent.add(frame);
            unacked.add(frame);
            heldBytes += frame.memoryBytes();
            unsentBytes += frame.memoryBytes();
            lastQueued = frame.sequence();
        }
        wakeStreamer.run();
    }

    /** The last frame that was queued. */
    synchronized long lastQueued() {
        return lastQueued;
    }

    synchronized boolean hasUnsent() {
        return !unsent.isEmpty();
    }

    /** What {@link #poll} would take. */
    synchronized @Nullable DataFrame peek() {
        return unsent.peek();
    }

    /** As {@link #peek}, if that is all of a block and may be sent with the request to open it; null otherwise. */
    @Nullable
    DataFrame peekWhole() {
        DataFrame next = peek();
        return next != null && next.isWhole() ? next : null;
    }

    /** What {@link #poll} would take up to a block's end, if none of it has data; nothing otherwise. */
    synchronized List<DataFrame> peekEnd() {
        List<DataFrame> end = new ArrayList<>();
        for (DataFrame frame : unsent) {
            if (!frame.isEmpty()) {
                break;
            }
            end.add(frame);
            if (frame.isEnd()) {
                return end;
            }
        }
        return List.of();
    }

    @Override
    public @Nullable DataFrame poll() {
        DataFrame next = take();
        if (next != null && retains) {
            pool.wakeWaiting();
        }
        return next;
    }

    private synchronized @Nullable DataFrame take() {
        DataFrame next = unsent.poll();
        if (next != null) {
            unsentBytes -= next.memoryBytes();
        }
        return next;
    }

    /** Puts frames that were sent, or not wholly sent, before all others again. */
    synchronized void giveBack(Deque<DataFrame> sent) {
        while (!sent.isEmpty()) {
            DataFrame frame = sent.removeLast();
            unsentBytes += frame.memoryBytes();
            unsent.addFirst(frame);
        }
    }

    @Override
    public void acked(DataFrame frame) {
        synchronized (this) {
            heldBytes -= frame.memoryBytes();
            frame.acked();
            // A later block may be everywhere before an earlier one.
            for (DataFrame first = unacked.peek(); first != null && first.isAcked(); first = unacked.peek()) {
                lastAcked = unacked.remove().sequence();
            }
            notifyAll();
        }
        pool.give(frame.memory());
    }

    /** Waits until a frame is acknowledged or the file is no more the streamer's. */
    synchronized Wait awaitAcked(long sequence, long timeoutMs) throws InterruptedException {
        return await(() -> lastAcked >= sequence, timeoutMs);
    }

    private Wait await(BooleanSupplier reached, long timeoutMs) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!reached.getAsBoolean() && state == State.OPEN) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (leftMs <= 0) {
                return Wait.TIMED_OUT;
            }
            wait(leftMs);
        }
        return reached.getAsBoolean() ? Wait.ACKED : Wait.NOT_SENT;
    }

    /** Nothing is queued any more. */
    void complete() {
        complete = true;
    }

    /** Whether nothing is left to be queued or sent for the first time. */
    boolean isAllSent() {
        return complete && !hasUnsent();
    }

    /** The first DataNode of each block has finalised it, and no pipeline is set up again with a new stamp any more. */
    synchronized void written() {
        if (!written) {
            written = true;
            notifyAll();
        }
    }

    /** As {@link #awaitAcked} of the last frame, but it is enough that the first DataNode of each block has finalised it. */
    synchronized Wait awaitWritten(long timeoutMs) throws InterruptedException {
        return await(() -> written || lastAcked >= lastQueued, timeoutMs);
    }

    /** The streamer sends no more of this file; stock's stream takes what is left. */
    void leaveToStock() {
        synchronized (this) {
            state = State.STOCK;
            notifyAll();
        }
        pool.wakeWaiting();
    }

    boolean isLeftToStock() {
        return state == State.STOCK;
    }

    /** What is left, for stock's stream: their memory is to be given back by {@link #drop}. */
    synchronized List<DataFrame> takeUnsent() {
        List<DataFrame> frames = new ArrayList<>(unsent);
        unsent.clear();
        // Nobody waits for these any more, and a file that is left to stock may stay open for long.
        unacked.clear();
        unsentBytes = 0;
        return frames;
    }

    void drop(DataFrame frame) {
        synchronized (this) {
            heldBytes -= frame.memoryBytes();
        }
        pool.give(frame.memory());
    }

    /** Nothing is sent any more. */
    void end(Collection<DataFrame> sent) {
        List<DataFrame> dropped;
        synchronized (this) {
            state = State.ENDED;
            dropped = takeUnsent();
            notifyAll();
        }
        dropped.addAll(sent);
        dropped.forEach(this::drop);
        pool.wakeWaiting();
    }
}
