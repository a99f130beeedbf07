package io.terrace.client.write;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.NativeCodeLoader;
import org.jspecify.annotations.Nullable;

/**
 * Computes the checksums of chunks of data in direct buffers: with libhadoop where it is loaded, as stock does, else
 * with the JDK. Used by one thread at a time.
 */
final class ChunkSummer {
    private final DataChecksum checksum;
    private final @Nullable Checksum jdk;

    private ChunkSummer(DataChecksum checksum, @Nullable Checksum jdk) {
        this.checksum = checksum;
        this.jdk = jdk;
    }

    /** Whether there is one for this type. */
    static boolean knows(DataChecksum.Type type) {
        return type == DataChecksum.Type.CRC32 || type == DataChecksum.Type.CRC32C;
    }

    /** @param checksum of a type that is known */
    static ChunkSummer of(DataChecksum checksum) {
        return of(checksum, NativeCodeLoader.isNativeCodeLoaded());
    }

    static ChunkSummer of(DataChecksum checksum, boolean libhadoop) {
        return new ChunkSummer(checksum, libhadoop ? null : jdk(checksum.getChecksumType()));
    }

    private static Checksum jdk(DataChecksum.Type type) {
        return switch (type) {
            case CRC32 -> new CRC32();
            case CRC32C -> new CRC32C();
            default -> throw new IllegalArgumentException("no checksums of type " + type);
        };
    }

    int chunkBytes() {
        return checksum.getBytesPerChecksum();
    }

    /**
     * Computes the checksum of each chunk.
     *
     * @param data position to limit, which may end within a chunk; the position may move
     * @param sums its position is where the first checksum goes; the position may move
     */
    void sum(ByteBuffer data, ByteBuffer sums) {
        Checksum own = jdk;
        if (own == null) {
            checksum.calculateChunkedSums(data, sums);
            return;
        }
        int limit = data.limit();
        while (data.position() < limit) {
            data.limit(Math.min(limit, data.position() + chunkBytes()));
            own.reset();
            own.update(data);
            sums.putInt((int) own.getValue());
        }
        data.limit(limit);
    }
}
