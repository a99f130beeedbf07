package io.terrace.channel;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A range of another host whose bytes are verified against the block's HDFS checksums before a caller sees them.
 * Thread-safe.
 */
public interface CheckedRegion extends Closeable {
    long lengthBytes();

    /** The most that {@link #begin} takes at a time, wherever the range begins. */
    int maxPieceBytes();

    /** Asks for a piece of the range; the answer is waited for in {@link CheckedPiece#bytes}. */
    CheckedPiece begin(long offset, int bytes, long timeoutNs) throws IOException;

    /** Fills the target from an offset, or throws. */
    void read(long offset, ByteBuffer target, long timeoutNs) throws IOException;

    @Override
    void close();
}
