package io.terrace.datanode.hdfs.dataset;

import io.terrace.channel.server.Peer;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.datanode.memory.MemoryTierListener;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.hdfs.server.datanode.metrics.TerraceReadCounts;

/** Adds granted reads and pinned copies to stock's own figures of what this DataNode did. Thread-safe. */
public record StockMetrics(DataNodeMetrics metrics) implements TierGrantService.ReadMeter, MemoryTierListener.PinMeter {

    @Override
    public void pinned(boolean more) {
        if (more) {
            metrics.incrBlocksCached(1);
        } else {
            metrics.incrBlocksUncached(1);
        }
    }

    @Override
    public void granted(Peer peer, long reads, long bytes) {
        for (long left = bytes; left > 0; left -= Integer.MAX_VALUE) {
            metrics.incrBytesRead((int) Math.min(left, Integer.MAX_VALUE));
        }
        TerraceReadCounts.add(metrics, peer.sameHost(), reads, bytes);
    }
}
