package org.apache.hadoop.hdfs.server.datanode.metrics;

/** Adds many reads at once to stock's figures, whose own methods count them one by one. */
public final class TerraceReadCounts {
    private TerraceReadCounts() {}

    /** Blocks read, by clients of this host or of others, whose bytes stock counts besides. */
    public static void add(DataNodeMetrics metrics, boolean sameHost, long reads, long bytes) {
        metrics.blocksRead.incr(reads);
        if (sameHost) {
            metrics.readsFromLocalClient.incr(reads);
        } else {
            metrics.readsFromRemoteClient.incr(reads);
            metrics.remoteBytesRead.incr(bytes);
        }
    }
}
