package io.terrace.datanode.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.zip.Checksum;

/**
 * The checksums of one replica, read in order from its meta file, and the check of bytes against them.
 *
 * <p>A meta file is a {@link MetaHeader} and a 32-bit CRC for every chunk. The JDK's CRCs are intrinsics over direct
 * buffers; a chunk of 512 bytes takes some 40 ns. Not thread-safe.
 */
public final class MetaFileChecksums {

    private final ReadableByteChannel meta;
    private final Checksum checksum;
    private final int bytesPerChecksum;
    private final ByteBuffer sums;

    /**
     * Reads the header.
     *
     * @param meta positioned at the start of the meta file
     * @param sums room for checksums that are read ahead; used by nobody else meanwhile
     * @throws CorruptReplicaException if it ends too early
     * @throws IOException if it has no checksums, or of a kind that cannot be checked
     */
    public MetaFileChecksums(ReadableByteChannel meta, ByteBuffer sums) throws IOException {
        this.meta = meta;
        this.sums = sums;
        MetaHeader header = MetaHeader.read(meta);
        this.bytesPerChecksum = header.chunkBytes();
        this.checksum = header.kind().start();
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
     * @throws CorruptReplicaException at the first chunk that does not match
     */
    public void check(ByteBuffer data, long blockOffset) throws IOException {
        int start = data.position();
        int end = data.limit();
        for (int at = start; at < end; at += bytesPerChecksum) {
            if (sums.remaining() < MetaHeader.SUM_BYTES) {
                refill();
            }
            data.limit(Math.min(end, at + bytesPerChecksum));
            checksum.reset();
            checksum.update(data);
            if ((int) checksum.getValue() != sums.getInt()) {
                throw new CorruptReplicaException("checksum differs at offset " + (blockOffset + at - start));
            }
        }
        data.limit(end).position(start);
    }

    private void refill() throws IOException {
        sums.compact();
        while (sums.position() < MetaHeader.SUM_BYTES) {
            if (meta.read(sums) < 0) {
                throw new CorruptReplicaException("meta file ends before the block");
            }
        }
        sums.flip();
    }
}
