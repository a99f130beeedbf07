package io.terrace.channel.tcp;

import io.terrace.channel.BlockKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Knows the HDFS checksums of the blocks that are granted. Called by worker threads; may read files. */
public interface ChecksumSource {
    /**
     * All checksums of exactly this block, or null when they are more than may be; then none are read.
     *
     * @param mostBytes of checksums
     * @throws IOException when it is not there any more, or has none that a reader could verify
     */
    @Nullable
    Checksums of(BlockKey block, long lengthBytes, long mostBytes) throws IOException;
}
