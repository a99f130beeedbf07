package io.terrace.datanode.write;

import io.terrace.channel.write.WriteFrame;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Pools the direct buffers that data is verified in, one pair for each block that is being written. As many are kept as were
 * in use at one time. Thread-safe.
 */
final class WriteBuffers {
    /**
     * Larger pieces may not stay in a processor's cache between arrival, verification, write and the socket to the next
     * DataNode. Smaller ones cost more calls and more changes of threads.
     */
    static final int PIECE_BYTES = 256 << 10;

    /**
     * Those of one block.
     *
     * @param data for one piece of a frame
     * @param sums for all checksums of a frame
     */
    record Pair(ByteBuffer data, ByteBuffer sums) {
        Pair(int dataBytes) {
            this(ByteBuffer.allocateDirect(dataBytes), ByteBuffer.allocateDirect(WriteFrame.MAX_SUM_BYTES));
        }
    }

    private final ArrayDeque<Pair> free = new ArrayDeque<>();

    /** A pair whose data buffer takes at least one chunk. */
    Pair take(int chunkBytes) {
        if (chunkBytes > PIECE_BYTES) {
            // Such chunks are rare. Their buffers are left to the garbage collector.
            return new Pair(chunkBytes);
        }
        Pair pair;
        synchronized (free) {
            pair = free.poll();
        }
        return pair == null ? new Pair(PIECE_BYTES) : pair;
    }

    /** Gives a pair back; nobody may use it any more. */
    void give(Pair pair) {
        if (pair.data.capacity() == PIECE_BYTES) {
            synchronized (free) {
                free.push(pair);
            }
        }
    }
}
