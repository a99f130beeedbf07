package io.terrace.datanode.hdfs.write;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds what a writer's calls took to stock's figures, and logs the slow ones as stock does. Used by one thread. */
final class WriteTimes {
    private static final Logger LOG = LoggerFactory.getLogger(WriteTimes.class);

    private final DataNodeMetrics metrics;
    private final ReplicaInPipeline replica;
    private final long slowMs;
    private long syncBeganNs;
    private long stepBeganNs;

    WriteTimes(DataNode datanode, ReplicaInPipeline replica) {
        this.metrics = datanode.getMetrics();
        this.replica = replica;
        this.slowMs = datanode.getDnConf().getSlowIoWarningThresholdMs();
    }

    /** A write of data took so long. */
    void wrote(long tookNs) {
        long tookMs = TimeUnit.NANOSECONDS.toMillis(tookNs);
        metrics.incrTotalWriteTime(tookMs);
        if (tookMs > slowMs) {
            metrics.incrPacketsSlowWriteToDisk();
            LOG.warn(
                    "Slow write of data to disk: {} ms (threshold {} ms), volume {}, block {}",
                    tookMs,
                    slowMs,
                    replica.getVolume(),
                    replica.getBlockId());
        }
    }

    /** What becomes of the page cache behind the writer was seen to, and took so long. */
    void managedPageCache(long tookNs) {
        long tookMs = TimeUnit.NANOSECONDS.toMillis(tookNs);
        if (tookMs > slowMs) {
            metrics.incrPacketsSlowWriteToOsCache();
            LOG.warn(
                    "Slow management of the page cache: {} ms (threshold {} ms), volume {}, block {}",
                    tookMs,
                    slowMs,
                    replica.getVolume(),
                    replica.getBlockId());
        }
    }

    void beginSync() {
        syncBeganNs = System.nanoTime();
        stepBeganNs = syncBeganNs;
    }

    /** One file is synced. */
    void synced() {
        long nowNs = System.nanoTime();
        metrics.addFsyncNanos(nowNs - stepBeganNs);
        stepBeganNs = nowNs;
    }

    void endSync() {
        metrics.incrFsyncCount();
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - syncBeganNs);
        if (tookMs > slowMs) {
            metrics.incrSlowFlushOrSyncCount();
            LOG.warn(
                    "Slow sync: {} ms (threshold {} ms), volume {}, block {}",
                    tookMs,
                    slowMs,
                    replica.getVolume(),
                    replica.getBlockId());
        }
    }
}
