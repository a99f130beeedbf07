package io.terrace.datanode.replica;

import io.terrace.channel.server.ChecksumSource;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/** The checksums in the meta files of the durable replicas; thread-safe. */
public final class ReplicaChecksums implements ChecksumSource {

    /** Of an array. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - Long.BYTES;

    private final ReplicaSource replicas;

    /** The checksums of these. */
    public ReplicaChecksums(ReplicaSource replicas) {
        this.replicas = replicas;
    }

    @Override
    public @Nullable ChunkChecksums of(BlockKey block, long lengthBytes, Room room) throws IOException {
        try (ReplicaSource.OpenReplica replica = replicas.open(new BlockVersion(block, lengthBytes))) {
            return read(replica.meta(), lengthBytes, room);
        }
    }

    static @Nullable ChunkChecksums read(ReadableByteChannel meta, long lengthBytes, Room room) throws IOException {
        MetaHeader header = MetaHeader.read(meta);
        long sumBytes = header.sumBytes(lengthBytes);
        if (sumBytes > MOST_BYTES || !room.take(sumBytes)) {
            return null;
        }
        ByteBuffer sums = ByteBuffer.allocate((int) sumBytes);
        while (sums.hasRemaining()) {
            if (meta.read(sums) < 0) {
                throw new EOFException("meta file ends " + sums.remaining() + " bytes early");
            }
        }
        return new ChunkChecksums(header.kind(), header.chunkBytes(), sums.array());
    }
}
