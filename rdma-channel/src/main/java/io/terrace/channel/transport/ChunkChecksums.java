package io.terrace.channel.transport;

import java.util.Arrays;
import java.util.Objects;

/**
 * The HDFS checksums of a whole block: one of four bytes, big-endian, for each chunk of its data.
 *
 * @param kind how they were computed; {@link ChecksumType#NONE} has none
 * @param chunkBytes data bytes that one checksum covers; the last chunk may be shorter
 * @param sums all of them, in order; not copied
 */
public record ChunkChecksums(ChecksumType kind, int chunkBytes, byte[] sums) {
    /** Of data that has none, and is then as trustworthy as the network. */
    public static final ChunkChecksums NONE = new ChunkChecksums(ChecksumType.NONE, 1, new byte[0]);

    /** Blocks with larger chunks are left to stock: a sane file has 512 bytes to some kilobytes. */
    public static final int MAX_CHUNK_BYTES = 1 << 20;

    public static final int SUM_BYTES = 4;

    public ChunkChecksums {
        Objects.requireNonNull(kind, "kind");
        if (chunkBytes < 1 || chunkBytes > MAX_CHUNK_BYTES || sums.length % SUM_BYTES != 0) {
            throw new IllegalArgumentException("bad checksums: " + chunkBytes + " bytes a chunk, " + sums.length);
        }
    }

    /** Whether there is a checksum for every chunk of so many bytes. */
    public boolean cover(long lengthBytes) {
        return kind == ChecksumType.NONE || (lengthBytes + chunkBytes - 1) / chunkBytes == sums.length / SUM_BYTES;
    }

    /** Bytes of the checksums of a range that begins on a chunk's first byte. */
    public int sumBytes(int rangeBytes) {
        return kind == ChecksumType.NONE ? 0 : (rangeBytes + chunkBytes - 1) / chunkBytes * SUM_BYTES;
    }

    /** Where the checksums of the chunk that begins at this offset lie. */
    public int sumsAt(long offset) {
        return kind == ChecksumType.NONE ? 0 : (int) (offset / chunkBytes) * SUM_BYTES;
    }

    /** Whether a range may be asked for: it must begin on a chunk's first byte and end with one's last. */
    public boolean fits(long offset, int rangeBytes, long lengthBytes) {
        return kind == ChecksumType.NONE
                || (offset % chunkBytes == 0 && (rangeBytes % chunkBytes == 0 || offset + rangeBytes == lengthBytes));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChunkChecksums that
                && kind == that.kind
                && chunkBytes == that.chunkBytes
                && Arrays.equals(sums, that.sums);
    }

    @Override
    public int hashCode() {
        return 31 * chunkBytes + Arrays.hashCode(sums);
    }

    @Override
    public String toString() {
        return "Checksums[" + kind + ", " + chunkBytes + ", " + sums.length / SUM_BYTES + "]";
    }
}
