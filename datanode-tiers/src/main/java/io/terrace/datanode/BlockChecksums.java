package io.terrace.datanode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The checksums of one replica, read in order from its meta file, and the check of bytes against them.
 *
 * <p>A meta file is a header of 7 bytes (version, type, bytes per checksum) and a 32-bit CRC for every chunk. The JDK's
 * CRCs are intrinsics over direct buffers; a chunk of 512 bytes takes some 40 ns. Not thread-safe.
 *
 * <p>Format: org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader, org.apache.hadoop.util.DataChecksum.
 */
public final class BlockChecksums {

    /** Larger chunks than this are refused: a sane replica has 512 bytes to some kilobytes. */
    public static final int MOST_BYTES_PER_CHECKSUM = 4 << 20;

    private static final int HEADER_BYTES = 7;
    private static final int VERSION = 1;
    private static final int TYPE_CRC32 = 1;
    private static final int TYPE_CRC32C = 2;
    private static final int SUM_BYTES = 4;

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
    public BlockChecksums(ReadableByteChannel meta, ByteBuffer sums) throws IOException {
        this.meta = meta;
        this.sums = sums;
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        while (header.hasRemaining()) {
            if (meta.read(header) < 0) {
                throw new CorruptReplicaException("meta file ends in its header");
            }
        }
        header.flip();
        int version = header.getShort();
        int type = header.get();
        this.bytesPerChecksum = header.getInt();
        // Not corrupt: stock reads such replicas, and files may be written without checksums (dfs.checksum.type).
        if (version != VERSION || bytesPerChecksum <= 0 || bytesPerChecksum > MOST_BYTES_PER_CHECKSUM) {
            throw new IOException(
                    "meta file of version " + version + " with " + bytesPerChecksum + " bytes per checksum");
        }
        this.checksum = switch (type) {
            case TYPE_CRC32 -> new CRC32();
            case TYPE_CRC32C -> new CRC32C();
            default -> throw new IOException("replica without checksums that can be checked: type " + type);
        };
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
            if (sums.remaining() < SUM_BYTES) {
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
        while (sums.position() < SUM_BYTES) {
            if (meta.read(sums) < 0) {
                throw new CorruptReplicaException("meta file ends before the block");
            }
        }
        sums.flip();
    }
}
