package io.terrace.channel.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.Checksum;

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

    /**
     * Compares the data in a buffer with its checksums.
     *
     * @param data position to limit, beginning on a chunk's first byte; not moved
     * @param sums position to limit, one for each chunk; not moved
     * @return offset of the first chunk that does not match, from the data's position; -1 when all do
     */
    public static int firstWrong(ChecksumType kind, int chunkBytes, ByteBuffer data, ByteBuffer sums) {
        return firstWrong(kind.start(), chunkBytes, data.duplicate(), sums);
    }

    /**
     * The same, with nothing allocated.
     *
     * @param checksum to compute with
     * @param data moved
     */
    public static int firstWrong(Checksum checksum, int chunkBytes, ByteBuffer data, ByteBuffer sums) {
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
            sumAt += SUM_BYTES;
        }
        return -1;
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
