package io.terrace.client.read;

import java.io.IOException;
import org.apache.hadoop.hdfs.BlockReader;

/** Opens what stock HDFS would have read a block with; its exceptions are stock's own. */
@FunctionalInterface
public interface StockReaderFactory {
    BlockReader open(long startOffset, long lengthBytes) throws IOException;
}
