package io.terrace.channel.tcp;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers that answers arrive in, kept for reuse in three sizes and in bounded number: about 20 MB for one link.
 * Thread-safe.
 */
final class BufferPool {
    private static final int[] SIZES = {16 * 1024, 160 * 1024, Wire.MAX_READ_BYTES + 64 * 1024};
    private static final int[] KEPT = {64, 16, 16};

    /** The largest buffer there is. */
    static final int MAX_BYTES = SIZES[SIZES.length - 1];

    private final ArrayBlockingQueue<ByteBuffer>[] free;

    @SuppressWarnings({"unchecked", "rawtypes"})
    BufferPool() {
        free = new ArrayBlockingQueue[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            free[i] = new ArrayBlockingQueue<>(KEPT[i]);
        }
    }

    /** A buffer with room for so many bytes and its limit there. */
    ByteBuffer take(int bytes) {
        for (int i = 0; i < SIZES.length; i++) {
            if (bytes <= SIZES[i]) {
                ByteBuffer buffer = free[i].poll();
                return (buffer == null ? ByteBuffer.allocateDirect(SIZES[i]) : buffer.clear()).limit(bytes);
            }
        }
        throw new IllegalArgumentException("no buffer has " + bytes + " bytes");
    }

    /** Gives a buffer back that {@link #take} gave; nobody may use it any more. */
    void give(ByteBuffer buffer) {
        for (int i = 0; i < SIZES.length; i++) {
            if (buffer.capacity() == SIZES[i]) {
                // When enough are kept, this one goes to the garbage collector.
                boolean unused = free[i].offer(buffer);
            }
        }
    }
}
