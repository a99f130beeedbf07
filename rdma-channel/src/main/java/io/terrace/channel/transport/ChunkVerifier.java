package io.terrace.channel.transport;

import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/** Compares data with its checksums, chunk by chunk: the only place where that is done. Thread-safe. */
public interface ChunkVerifier {
    /** Makes one for data of a kind. */
    interface Maker {
        /** @param chunkBytes data bytes that one checksum covers */
        ChunkVerifier of(ChecksumType kind, int chunkBytes);
    }

    /**
     * By the JDK. Which one is faster depends on the CPU: with AVX-512 and JDK 17 this one took 25 ms a GB for chunks of 512
     * bytes, and {@link NativeChunkVerifier} 39.
     */
    Maker JDK = (kind, chunkBytes) -> (data, sums) -> firstWrong(kind.start(), chunkBytes, data.duplicate(), sums);

    /**
     * The offset of the first chunk that does not match, from the data's position; -1 when all do.
     *
     * @param data from its position to its limit, beginning on a chunk's first byte; not moved
     * @param sums from its position on, one for each chunk; not moved
     */
    int firstWrong(ByteBuffer data, ByteBuffer sums);

    /**
     * The same by the JDK, with nothing allocated.
     *
     * @param checksum to compute with
     * @param data moved
     */
    static int firstWrong(Checksum checksum, int chunkBytes, ByteBuffer data, ByteBuffer sums) {
        int limit = data.limit();
        int start = data.position();
        int sumAt = sums.position();
        for (int at = start; at < limit; at += chunkBytes) {
            data.limit(Math.min(limit, at + chunkBytes)).position(at);
            checksum.reset();
            checksum.update(data);
            if ((int) checksum.getValue() != sums.getInt(sumAt)) {
                return at - start;
            }
            sumAt += ChunkChecksums.SUM_BYTES;
        }
        return -1;
    }
}
