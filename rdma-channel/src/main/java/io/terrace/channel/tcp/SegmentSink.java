package io.terrace.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Receives a body in segments, which its reader takes while the rest is still coming. A buffer is taken from the pool
 * when bytes for it arrive, and returned when the reader has used it. So a single reader fills, verifies and copies the
 * same few buffers, which a processor's cache holds. Thread-safe.
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

    SegmentSink(DirectBufferPool pool, int sumBytes, int dataBytes, int segmentBytes) throws IOException {
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
    public synchronized ByteBuffer room() throws IOException {
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

    /** The next segment, from position 0 to its limit, which the caller must {@link #giveBack}. */
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
