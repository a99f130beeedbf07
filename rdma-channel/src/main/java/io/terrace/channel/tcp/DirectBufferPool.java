package io.terrace.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Pools the direct buffers that responses are received in, in three sizes and in bounded number: it keeps at most 35 MB,
 * however many DataNodes the process reads from; each connection has a buffer of its own for frames in each direction
 * besides. The buffer returned last is taken first, because a processor's cache may still hold it. Thread-safe.
 */
final class DirectBufferPool {
    private static final int[] SIZES = {16 * 1024, 160 * 1024, TcpFrame.MAX_READ_BYTES + 64 * 1024};
    private static final int[] KEPT = {256, 128, 8};

    /** Of the whole process: a pool for each DataNode would keep as much for each of hundreds. */
    static final DirectBufferPool SHARED = new DirectBufferPool();

    /** The largest buffer there is. */
    static final int MAX_BYTES = SIZES[SIZES.length - 1];

    private final ArrayDeque<ByteBuffer>[] free;

    @SuppressWarnings({"unchecked", "rawtypes"})
    DirectBufferPool() {
        free = new ArrayDeque[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            free[i] = new ArrayDeque<>(KEPT[i]);
        }
    }

    /**
     * A buffer with room for so many bytes and its limit there.
     *
     * @throws IOException when the process may have no more direct memory, so that its reader goes on with stock HDFS
     */
    ByteBuffer take(int bytes) throws IOException {
        for (int i = 0; i < SIZES.length; i++) {
            if (bytes <= SIZES[i]) {
                ByteBuffer buffer;
                synchronized (free[i]) {
                    buffer = free[i].poll();
                }
                return (buffer == null ? allocate(SIZES[i]) : buffer.clear()).limit(bytes);
            }
        }
        throw new IllegalArgumentException("no buffer has " + bytes + " bytes");
    }

    private static ByteBuffer allocate(int bytes) throws IOException {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            throw new IOException("no direct memory for a read; -XX:MaxDirectMemorySize bounds it", e);
        }
    }

    /** Gives a buffer back that {@link #take} gave; nobody may use it any more. */
    void give(ByteBuffer buffer) {
        for (int i = 0; i < SIZES.length; i++) {
            if (buffer.capacity() == SIZES[i]) {
                synchronized (free[i]) {
                    // When enough are kept, this one goes to the garbage collector.
                    if (free[i].size() < KEPT[i]) {
                        free[i].push(buffer);
                    }
                }
            }
        }
    }
}
