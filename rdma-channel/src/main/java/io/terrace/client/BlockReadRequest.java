package io.terrace.client;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Which bytes of which block a reader wants.
 *
 * @param block with its holders and its token, as the NameNode told
 * @param startOffset first byte, counted from the start of the block
 * @param endOffset one past the last byte
 * @param stockAddress of the DataNode that stock would read from
 * @param underConstruction whether the file is being written
 * @param verified whether the reader wants the checksums verified
 * @param user whom the HDFS client reads for, whatever thread reads
 * @param distances how far away a DataNode is, by which stock counts what is read of it
 * @param held the grants that the stream used last
 */
public record BlockReadRequest(
        LocatedBlock block,
        long startOffset,
        long endOffset,
        InetSocketAddress stockAddress,
        boolean underConstruction,
        boolean verified,
        String user,
        ToIntFunction<DatanodeInfo> distances,
        Configuration conf,
        StreamGrants held) {
    public BlockReadRequest {
        Objects.requireNonNull(block, "block");
        if (startOffset < 0 || endOffset < startOffset) {
            throw new IllegalArgumentException("bad range " + startOffset + " to " + endOffset + " of " + block);
        }
    }
}
