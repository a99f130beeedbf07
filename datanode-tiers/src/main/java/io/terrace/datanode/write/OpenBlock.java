package io.terrace.datanode.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A block that is being written. Used by the thread that opened it, but for {@link #acknowledge}. */
public interface OpenBlock extends Closeable {
    /** The next DataNode, which has opened the block and is to get all of it; null when this one is the last. */
    @Nullable
    NextNode next();

    /** Whether its client is the file's, not the DataNode before this one. */
    boolean isFirst();

    /** Told of what happens between the DataNodes. */
    PipelineEvents events();

    /** Opens the replica's files for another thread, which closes them. */
    WrittenFiles files() throws IOException;

    /** Data bytes that one checksum covers. */
    int chunkBytes();

    /** The block may not become longer. */
    long mostBytes();

    /** What is written so far, all of it verified. */
    long lengthBytes();

    /**
     * What all DataNodes of a pipeline that has failed had of the block, as its client says; 0 for a new one. What the client sends
     * now continues that.
     */
    default long recoveredBytes() {
        return 0;
    }

    /**
     * Where the next piece is to be received, which is then written.
     *
     * @param own a buffer of the caller's with room for it
     * @param bytes of the piece
     */
    default ByteBuffer pieceBuffer(ByteBuffer own, int bytes) {
        return own;
    }

    /**
     * Verifies data and writes it with its checksums, unless it is there. It is not to be acknowledged yet.
     *
     * @param offset of a chunk's first byte, not beyond the length
     * @param data direct, from its position to its limit; its position may be moved
     * @param sums direct, one for each chunk; may be moved
     */
    void write(long offset, ByteBuffer data, ByteBuffer sums) throws IOException;

    /** All that was written is on the disk when this returns. */
    void sync() throws IOException;

    /** A frame is complete. */
    void received();

    /** The block goes on after a frame. Fails where this DataNode is so slow that it is to leave the pipeline. */
    default void checkPace() throws IOException {
        // As slow as it likes.
    }

    /**
     * This DataNode and all after it have so many bytes: readers may see them. Any thread.
     *
     * @param bytes from the block's beginning
     */
    void acknowledge(long bytes) throws IOException;

    /**
     * Finalises the block at its length.
     *
     * @param synced whether the last frame was synced
     */
    void finish(boolean synced) throws IOException;

    /**
     * Unless it was finished, leaves the replica as it is, so that a recovery finds what was written, and closes the connection
     * to the next DataNode.
     */
    @Override
    void close() throws IOException;
}
