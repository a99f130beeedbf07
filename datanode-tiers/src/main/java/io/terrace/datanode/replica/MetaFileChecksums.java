package io.terrace.datanode.replica;

import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ChunkVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * The checksums of one replica, read in order from its meta file, and the check of bytes against them.
 *
 * <p>A meta file is a {@link MetaHeader} and a 32-bit CRC for every chunk. Not thread-safe.
 */
public final class MetaFileChecksums {

    private final ReadableByteChannel meta;
    private final ChunkVerifier verifier;
    private final int bytesPerChecksum;
    private final ByteBuffer sums;

    /**
     * Reads the header.
     *
     * @param meta positioned at the start of the meta file
     * @param sums direct, for checksums that are read ahead; used by nobody else meanwhile
     * @throws CorruptReplicaException if it ends too early
     * @throws IOException if it has no checksums, or of a kind that cannot be checked
     */
    public MetaFileChecksums(ReadableByteChannel meta, ByteBuffer sums) throws IOException {
        this.meta = meta;
        this.sums = sums;
        MetaHeader header = MetaHeader.read(meta);
        this.bytesPerChecksum = header.chunkBytes();
        this.verifier = ChunkVerifier.JDK.of(header.kind(), bytesPerChecksum);
        sums.clear().limit(0);
    }

    /** Chunks begin at multiples of this. */
    public int bytesPerChecksum() {
        return bytesPerChecksum;
    }

    /**
     * Checks the next bytes of the block, from position to limit: whole chunks, except at the end of the block. The
     * buffer's position and limit are as before afterwards.
     *
     * @param data direct
     * @throws CorruptReplicaException at the first chunk that does not match
     */
    public void check(ByteBuffer data, long blockOffset) throws IOException {
        int start = data.position();
        int end = data.limit();
        int at = start;
        while (at < end) {
            if (sums.remaining() < ChunkChecksums.SUM_BYTES) {
                refill();
            }
            int chunksLeft = (end - at + bytesPerChecksum - 1) / bytesPerChecksum;
            int chunks = Math.min(chunksLeft, sums.remaining() / ChunkChecksums.SUM_BYTES);
            int checkedTo = chunks == chunksLeft ? end : at + chunks * bytesPerChecksum;
            int wrong = verifier.firstWrong(data.position(at).limit(checkedTo), sums);
            if (wrong >= 0) {
                throw new CorruptReplicaException("checksum differs at offset " + (blockOffset + at - start + wrong));
            }
            sums.position(sums.position() + chunks * ChunkChecksums.SUM_BYTES);
            at = checkedTo;
            data.limit(end);
        }
        data.position(start);
    }

    private void refill() throws IOException {
        sums.compact();
        while (sums.position() < ChunkChecksums.SUM_BYTES) {
            if (meta.read(sums) < 0) {
                throw new CorruptReplicaException("meta file ends before the block");
            }
        }
        sums.flip();
    }
}
