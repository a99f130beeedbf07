package io.terrace.channel.tcp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A body that its reader takes segment by segment while the rest of it comes. Buffers are taken when bytes are there for
 * them, and go back when the reader has used them: a lone reader fills, verifies and copies the same few, which a
 * processor's cache holds. Thread-safe.
 */
final class SegmentSink implements ResponseSink {
    private final DirectBufferPool pool;
    private final int dataBytes;
    private final int segmentBytes;

    /** Comes first; position and limit stay. */
    private final ByteBuffer sums;

    private final ByteBuffer sumsRoom;
    private final Deque<ByteBuffer> ready = new ArrayDeque<>();
    private @Nullable ByteBuffer filling;
    private int dataLeft;

    SegmentSink(DirectBufferPool pool, int sumBytes, int dataBytes, int segmentBytes) {
        this.pool = pool;
        this.dataBytes = dataBytes;
        this.segmentBytes = segmentBytes;
        this.sums = pool.take(sumBytes);
        this.sumsRoom = sums.duplicate();
        this.dataLeft = dataBytes;
    }

    @Override
    public int bodyBytes() {
        return sums.limit() + dataBytes;
    }

    @Override
    public synchronized ByteBuffer room() {
        if (sumsRoom.hasRemaining()) {
            return sumsRoom;
        }
        ByteBuffer room = filling;
        if (room == null) {
            room = pool.take(Math.min(segmentBytes, dataLeft));
            filling = room;
        }
        return room;
    }

    @Override
    public synchronized boolean landed() {
        ByteBuffer full = filling;
        if (full == null || full.hasRemaining()) {
            return false;
        }
        dataLeft -= full.limit();
        ready.add(full.flip());
        filling = null;
        return true;
    }

    @Override
    public boolean isStreamed() {
        return true;
    }

    /** Whether a segment can be taken. */
    synchronized boolean isReady() {
        return !ready.isEmpty();
    }

    /** The next segment, from position 0 to its limit, for the taker to {@link #giveBack}. */
    @Nullable
    synchronized ByteBuffer take() {
        return ready.poll();
    }

    /** The checksums of all segments, once the first is ready; not to be moved. */
    ByteBuffer sums() {
        return sums;
    }

    void giveBack(ByteBuffer segment) {
        pool.give(segment);
    }

    /** Gives everything back that was not taken. Nothing may land any more. */
    synchronized void close() {
        ready.forEach(pool::give);
        ready.clear();
        if (filling != null) {
            pool.give(filling);
            filling = null;
        }
        pool.give(sums);
    }
}
