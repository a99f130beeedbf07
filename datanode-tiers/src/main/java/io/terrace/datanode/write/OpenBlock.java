package io.terrace.datanode.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A block that is being written. Used by the thread that opened it. */
public interface OpenBlock extends Closeable {
    /** The body of the OPENED frame. */
    byte[] answer();

    /** Data bytes that one checksum covers. */
    int chunkBytes();

    /** The block may not become longer. */
    long mostBytes();

    /** What is written so far, all of it verified. */
    long lengthBytes();

    /**
     * Verifies data and writes it with its checksums. It is not to be acknowledged yet.
     *
     * @param offset of a chunk's first byte, not beyond the length; the data ends at the length or behind it
     * @param data direct, from its position to its limit; may be moved
     * @param sums direct, one for each chunk; may be moved
     */
    void write(long offset, ByteBuffer data, ByteBuffer sums) throws IOException;

    /** All that was written is on the disk when this returns. */
    void sync() throws IOException;

    /** A frame is complete: what is written is acknowledged, and readers may see it. */
    void acknowledge() throws IOException;

    /**
     * Finalises the block at its length.
     *
     * @param synced whether the last frame was synced
     */
    void finish(boolean synced) throws IOException;

    /** Leaves the replica as it is unless it was finished: a recovery finds what was written. */
    @Override
    void close() throws IOException;
}
