package io.terrace.datanode.replica;

import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * The first seven bytes of a replica's meta file: version, type of the checksums, and how many bytes of the block each is
 * for. The checksums follow, four bytes each.
 *
 * <p>Format: org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader, org.apache.hadoop.util.DataChecksum.
 */
record MetaHeader(ChecksumType kind, int chunkBytes) {
    static final int BYTES = 7;
    private static final int VERSION = 1;
    private static final int TYPE_CRC32 = 1;
    private static final int TYPE_CRC32C = 2;

    /**
     * Reads it from the start of a meta file.
     *
     * @throws CorruptReplicaException if the file ends too early
     * @throws IOException if it has no checksums, or such as no reader of ours verifies
     */
    static MetaHeader read(ReadableByteChannel meta) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(BYTES);
        while (header.hasRemaining()) {
            if (meta.read(header) < 0) {
                throw new CorruptReplicaException("meta file ends in its header");
            }
        }
        header.flip();
        int version = header.getShort();
        int type = header.get();
        int chunkBytes = header.getInt();
        // Not corrupt: stock reads such replicas, and files may be written without checksums (dfs.checksum.type).
        if (version != VERSION || chunkBytes <= 0 || chunkBytes > ChunkChecksums.MAX_CHUNK_BYTES) {
            throw new IOException("meta file of version " + version + " with " + chunkBytes + " bytes per checksum");
        }
        return switch (type) {
            case TYPE_CRC32 -> new MetaHeader(ChecksumType.CRC32, chunkBytes);
            case TYPE_CRC32C -> new MetaHeader(ChecksumType.CRC32C, chunkBytes);
            default -> throw new IOException("replica without checksums that can be checked: type " + type);
        };
    }

    /** Bytes of the checksums of a block. */
    long sumBytes(long lengthBytes) {
        return (lengthBytes + chunkBytes - 1) / chunkBytes * ChunkChecksums.SUM_BYTES;
    }
}
