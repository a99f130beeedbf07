package org.apache.hadoop.hdfs.server.datanode.metrics;

/** Adds many reads at once to stock's figures, whose own methods count them one by one. */
public final class TerraceReadCounts {
    private TerraceReadCounts() {}

    /** Blocks read, by clients of this host. */
    public static void add(DataNodeMetrics metrics, long reads) {
        metrics.blocksRead.incr(reads);
        metrics.readsFromLocalClient.incr(reads);
    }
}
