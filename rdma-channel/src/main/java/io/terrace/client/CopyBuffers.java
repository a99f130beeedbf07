package io.terrace.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers through which bytes reach a heap array: small enough to stay in the processor's second-level cache, so
 * that the copy out of them costs a fraction of the copy into them.
 *
 * <p>A thread mostly gets the buffer it had before. At most {@link #KEPT} are kept; more exist only while as many reads
 * run at once. Thread-safe.
 */
final class CopyBuffers {
    /** A small part of a second-level cache of 1 MB, which others use too. */
    static final int PIECE_BYTES = 128 * 1024;

    private static final int KEPT = 64;

    private final AtomicReferenceArray<@Nullable ByteBuffer> kept = new AtomicReferenceArray<>(KEPT);

    /** The process may have no more direct memory, which says nothing of a block. */
    static final class NoMemoryException extends IOException {
        private static final long serialVersionUID = 1;

        NoMemoryException(Throwable cause) {
            super("no direct memory for a read; -XX:MaxDirectMemorySize bounds it", cause);
        }
    }

    ByteBuffer take() throws NoMemoryException {
        int first = home();
        for (int i = 0; i < 4; i++) {
            ByteBuffer buffer = kept.getAndSet((first + i) % KEPT, null);
            if (buffer != null) {
                return buffer;
            }
        }
        try {
            return ByteBuffer.allocateDirect(PIECE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new NoMemoryException(e);
        }
    }

    void giveBack(ByteBuffer buffer) {
        int first = home();
        for (int i = 0; i < 4; i++) {
            if (kept.compareAndSet((first + i) % KEPT, null, buffer)) {
                return;
            }
        }
    }

    private static int home() {
        return (int) (Thread.currentThread().getId() % KEPT);
    }
}
