package io.terrace.channel.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A range of another host whose bytes are verified against the block's HDFS checksums before a caller sees them.
 * Thread-safe.
 */
public interface RemoteExtent extends Closeable {
    /** Pieces of one long read that are in flight at a time. */
    int WINDOW = 4;

    long lengthBytes();

    /** Whether it leads anywhere now. */
    default boolean isUsable() {
        return true;
    }

    /** The most that {@link #begin} takes at a time, wherever the range begins. */
    int maxPieceBytes();

    /** The same range over the way that is least used now, for a reader of several pieces to stay on; not to be closed. */
    default RemoteExtent leastBusy() {
        return this;
    }

    /** Asks for a piece of the range; the answer is waited for in {@link ExtentPiece#next}. */
    ExtentPiece begin(long offset, int bytes, long timeoutNs) throws IOException;

    /**
     * As {@link #begin}, for a piece that is not needed yet.
     *
     * @return null where it would have to wait for what others asked for
     */
    default @Nullable ExtentPiece beginIfRoom(long offset, int bytes, long timeoutNs) throws IOException {
        return begin(offset, bytes, timeoutNs);
    }

    /** Fills the target from an offset, or throws. */
    void read(long offset, ByteBuffer target, long timeoutNs) throws IOException;

    /** Fills the target piece by piece, with a few of them on their way at a time. */
    default void readPieces(long offset, ByteBuffer target, long deadlineNs) throws IOException {
        Deque<ExtentPiece> window = new ArrayDeque<>(WINDOW);
        long at = offset;
        long end = offset + target.remaining();
        try {
            while (at < end || !window.isEmpty()) {
                while (at < end && window.size() < WINDOW) {
                    int bytes = (int) Math.min(maxPieceBytes(), end - at);
                    window.add(begin(at, bytes, deadlineNs - System.nanoTime()));
                    at += bytes;
                }
                try (ExtentPiece piece = window.remove()) {
                    for (int left = piece.lengthBytes(); left > 0; ) {
                        ByteBuffer bytes = piece.next(deadlineNs - System.nanoTime());
                        left -= bytes.remaining();
                        target.put(bytes);
                    }
                }
            }
        } finally {
            window.forEach(ExtentPiece::close);
        }
    }

    @Override
    void close();
}
