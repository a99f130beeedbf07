package io.terrace.datanode;

import io.terrace.channel.BlockKey;
import io.terrace.channel.tcp.ChecksumKind;
import io.terrace.channel.tcp.ChecksumSource;
import io.terrace.channel.tcp.Checksums;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** The checksums in the meta files of the durable replicas; thread-safe. */
public final class ReplicaChecksums implements ChecksumSource {

    /** Version, type and bytes per checksum, as BlockMetadataHeader writes them. */
    private static final int HEADER_BYTES = 7;

    private static final int VERSION = 1;
    private static final int TYPE_CRC32 = 1;
    private static final int TYPE_CRC32C = 2;
    private static final int SUM_BYTES = 4;

    /** No block has more chunks than an array has room for. */
    private static final long MOST_SUM_BYTES = 1 << 28;

    private final ReplicaSource replicas;

    /** The checksums of these. */
    public ReplicaChecksums(ReplicaSource replicas) {
        this.replicas = replicas;
    }

    @Override
    public Checksums of(BlockKey block, long lengthBytes) throws IOException {
        try (ReplicaSource.OpenReplica replica = replicas.open(block, lengthBytes)) {
            return read(replica.meta(), lengthBytes);
        }
    }

    static Checksums read(ReadableByteChannel meta, long lengthBytes) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        fill(meta, header);
        int version = header.getShort();
        int type = header.get();
        int chunkBytes = header.getInt();
        if (version != VERSION || chunkBytes <= 0 || (type != TYPE_CRC32 && type != TYPE_CRC32C)) {
            throw new CorruptReplicaException("meta file of version " + version + " with checksums of type " + type
                    + ", " + chunkBytes + " bytes each");
        }
        long sumBytes = (lengthBytes + chunkBytes - 1) / chunkBytes * SUM_BYTES;
        if (sumBytes > MOST_SUM_BYTES) {
            throw new CorruptReplicaException(sumBytes + " bytes of checksums");
        }
        ByteBuffer sums = ByteBuffer.allocate((int) sumBytes);
        fill(meta, sums);
        return new Checksums(type == TYPE_CRC32C ? ChecksumKind.CRC32C : ChecksumKind.CRC32, chunkBytes, sums.array());
    }

    private static void fill(ReadableByteChannel from, ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (from.read(target) < 0) {
                throw new EOFException("meta file ends " + target.remaining() + " bytes early");
            }
        }
        target.flip();
    }
}
