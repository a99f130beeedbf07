package io.terrace.client;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes of a block read before they are asked for, for streams that are read in small steps: a byte of a {@code readInt}
 * must not cost a system call. Belongs to one reader.
 *
 * <p>A block's bytes never change under its generation stamp, so what was right when it was read stays right.
 */
final class ReadBuffer {
    /** Larger reads go to the extent themselves. */
    static final int SMALL_BYTES = 16 * 1024;

    private static final int FIRST_BYTES = 16 * 1024;

    private final CopyBuffers pieces;
    private final ByteBuffer buffer;
    private long start;
    private int lengthBytes;
    private int nextBytes = FIRST_BYTES;

    ReadBuffer(CopyBuffers pieces) throws CopyBuffers.NoMemoryException {
        this.pieces = pieces;
        this.buffer = pieces.take();
    }

    boolean covers(long position, int length) {
        return position >= start && position + length <= start + lengthBytes;
    }

    /** Reads on from a position: a little at first, more each time. */
    boolean fill(LocalGrant grant, long position, long endBytes) throws IOException {
        int length = (int) Math.min(nextBytes, endBytes - position);
        lengthBytes = 0;
        buffer.clear();
        if (!grant.readAhead(position, buffer, length)) {
            return false;
        }
        start = position;
        lengthBytes = length;
        nextBytes = Math.min(CopyBuffers.PIECE_BYTES, nextBytes * 2);
        return true;
    }

    void copy(long position, byte[] target, int offset, int length) {
        buffer.get((int) (position - start), target, offset, length);
    }

    void copy(long position, ByteBuffer target, int length) {
        target.put(target.position(), buffer, (int) (position - start), length);
        target.position(target.position() + length);
    }

    void close() {
        lengthBytes = 0;
        pieces.giveBack(buffer);
    }
}
