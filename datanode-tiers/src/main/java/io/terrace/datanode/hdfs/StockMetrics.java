package io.terrace.datanode.hdfs;

import io.terrace.datanode.GrantDesk;
import io.terrace.datanode.TierNews;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;

/** Adds granted reads and pinned copies to stock's own figures of what this DataNode did. Thread-safe. */
record StockMetrics(DataNodeMetrics metrics) implements GrantDesk.ReadMeter, TierNews.PinMeter {

    /** Stock counts reads one by one only; a larger batch would keep a thread busy for the sake of a figure. */
    private static final long MOST_READS = 1_000_000;

    @Override
    public void pinned(boolean more) {
        if (more) {
            metrics.incrBlocksCached(1);
        } else {
            metrics.incrBlocksUncached(1);
        }
    }

    @Override
    public void granted(String user, long reads, long bytes) {
        for (long left = bytes; left > 0; left -= Integer.MAX_VALUE) {
            metrics.incrBytesRead((int) Math.min(left, Integer.MAX_VALUE));
        }
        for (long i = Math.min(reads, MOST_READS); i > 0; i--) {
            metrics.incrBlocksRead();
            metrics.incrReadsFromClient(true, 0);
        }
    }
}
