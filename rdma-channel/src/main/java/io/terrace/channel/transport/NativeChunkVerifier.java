package io.terrace.channel.transport;

import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.NativeCodeLoader;

/**
 * Verifies with libhadoop, as stock does where it is loaded. It computes three chunks at a time; {@link ChunkVerifier#JDK}
 * says how that compares. The one class of the channel that knows Hadoop. Thread-safe: of DataChecksum it uses
 * only what keeps no state.
 */
public final class NativeChunkVerifier implements ChunkVerifier {
    private final DataChecksum library;

    private NativeChunkVerifier(DataChecksum library) {
        this.library = library;
    }

    /** By libhadoop where it is loaded, else by the JDK. */
    public static ChunkVerifier of(ChecksumType kind, int chunkBytes) {
        if (!NativeCodeLoader.isNativeCodeLoaded()) {
            return JDK.of(kind, chunkBytes);
        }
        return switch (kind) {
            case NONE -> JDK.of(kind, chunkBytes);
            case CRC32 -> new NativeChunkVerifier(DataChecksum.newDataChecksum(DataChecksum.Type.CRC32, chunkBytes));
            case CRC32C -> new NativeChunkVerifier(DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, chunkBytes));
        };
    }

    /** Both buffers must be direct. */
    @Override
    public int firstWrong(ByteBuffer data, ByteBuffer sums) {
        try {
            library.verifyChunkedSums(data, sums, "", 0);
            return -1;
        } catch (ChecksumException e) {
            return (int) e.getPos();
        }
    }
}
