package io.terrace.channel.transport;

import java.nio.ByteBuffer;

/** Compares the data of a range with its checksums. Thread-safe. */
public interface ChunkVerifier {
    /** Makes one for ranges of a kind. */
    interface Maker {
        /** @param chunkBytes data bytes that one checksum covers */
        ChunkVerifier of(ChecksumType kind, int chunkBytes);
    }

    /** By the JDK. */
    Maker JDK = (kind, chunkBytes) -> (data, sums) -> ChunkChecksums.firstWrong(kind, chunkBytes, data, sums);

    /**
     * The offset of the first chunk that does not match, from the data's position; -1 when all do.
     *
     * @param data from its position to its limit, beginning on a chunk's first byte; not moved
     * @param sums from its position on, one for each chunk; not moved
     */
    int firstWrong(ByteBuffer data, ByteBuffer sums);
}
