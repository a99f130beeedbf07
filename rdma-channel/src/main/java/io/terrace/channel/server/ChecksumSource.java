package io.terrace.channel.server;

import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.common.BlockKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Finds the HDFS checksums of the blocks that are granted. Called by worker threads; may read files. */
public interface ChecksumSource {
    /** What there is for the checksums of one block. */
    interface Room {
        /** Whether there is room for so many bytes, which is kept for them from now on; asked once, before any is read. */
        boolean take(long bytes);
    }

    /**
     * All checksums of exactly this block, or null when there is no room for them; then none are read.
     *
     * @throws IOException when it is not there any more, or has none that a reader could verify
     */
    @Nullable
    ChunkChecksums of(BlockKey block, long lengthBytes, Room room) throws IOException;
}
