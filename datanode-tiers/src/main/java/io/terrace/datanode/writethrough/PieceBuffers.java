package io.terrace.datanode.writethrough;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A bounded pool of direct buffers. As many are kept as were in use at one time. Thread-safe. */
final class PieceBuffers {
    /** As much as is received at a time. */
    static final int BYTES = 256 << 10;

    private static final int MOST = 128;

    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private int made;

    /** Null when all are in use, and where direct memory is short: a copy can do with less, and its block must not fail. */
    synchronized @Nullable ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer == null && made < MOST ? make() : buffer;
    }

    private @Nullable ByteBuffer make() {
        try {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
            made++;
            return buffer;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Nobody uses it any more. */
    synchronized void give(ByteBuffer buffer) {
        free.push(buffer);
    }
}
