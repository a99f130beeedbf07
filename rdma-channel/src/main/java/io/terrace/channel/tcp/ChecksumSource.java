package io.terrace.channel.tcp;

import io.terrace.channel.BlockKey;
import java.io.IOException;

/** Knows the HDFS checksums of the blocks that are granted. Called by worker threads; may read files. */
public interface ChecksumSource {
    /**
     * All checksums of exactly this block.
     *
     * @throws IOException when it is not there any more, or has none that a reader could verify
     */
    Checksums of(BlockKey block, long lengthBytes) throws IOException;
}
