package io.terrace.datanode.replica;

import io.terrace.common.TokenBucket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Copies a block while it checks every byte against the block's checksums, or only checks.
 *
 * <p>In pieces that stay in the processor's cache between the read, the check and the write. Two direct buffers for each
 * instance, so an instance serves one thread at a time and is worth keeping.
 */
public final class VerifiedCopy {

    /** A piece fits the second-level cache, next to its checksums. */
    private static final int PIECE_BYTES = 256 << 10;

    private static final int SUMS_BYTES = 32 << 10;

    private final TokenBucket tokenBucket;
    private final ByteBuffer sums = ByteBuffer.allocateDirect(SUMS_BYTES);
    private ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);

    /** Copies at no more than the given rate. */
    public VerifiedCopy(TokenBucket tokenBucket) {
        this.tokenBucket = tokenBucket;
    }

    /**
     * Copies exactly {@code lengthBytes}.
     *
     * @param data the block's bytes, from the start
     * @param meta the block's meta file, from the start
     * @param to where the bytes go once they are checked; null only checks
     * @throws CorruptReplicaException if the bytes do not match, or end too early
     * @throws IOException if reading or writing fails
     */
    public void run(
            ReadableByteChannel data, ReadableByteChannel meta, long lengthBytes, @Nullable WritableByteChannel to)
            throws IOException {
        MetaFileChecksums checksums = new MetaFileChecksums(meta, sums);
        int pieceBytes = pieceBytes(checksums.bytesPerChecksum());
        long offset = 0;
        while (offset < lengthBytes) {
            piece.clear().limit((int) Math.min(pieceBytes, lengthBytes - offset));
            tokenBucket.takeAndSleep(piece.limit());
            while (piece.hasRemaining()) {
                if (data.read(piece) < 0) {
                    throw new CorruptReplicaException(
                            "replica ends at " + (offset + piece.position()) + " instead of " + lengthBytes);
                }
            }
            piece.flip();
            checksums.check(piece, offset);
            offset += piece.limit();
            while (to != null && piece.hasRemaining()) {
                to.write(piece);
            }
        }
    }

    private int pieceBytes(int bytesPerChecksum) {
        if (bytesPerChecksum > piece.capacity()) {
            piece = ByteBuffer.allocateDirect(bytesPerChecksum);
        }
        return piece.capacity() / bytesPerChecksum * bytesPerChecksum;
    }
}
