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

    /** Less than a millisecond: most writes are that short. */
    private long uncountedNs;

    private long syncBeganNs;
    private long stepBeganNs;

    WriteTimes(DataNode datanode, ReplicaInPipeline replica) {
        this.metrics = datanode.getMetrics();
        this.replica = replica;
        this.slowMs = datanode.getDnConf().getSlowIoWarningThresholdMs();
    }

    /** A write of data took so long. It is no buffer's, so it is what stock calls a flush as well. */
    void wrote(long tookNs) {
        uncountedNs += tookNs;
        long countedMs = TimeUnit.NANOSECONDS.toMillis(uncountedNs);
        metrics.incrTotalWriteTime(countedMs);
        uncountedNs -= TimeUnit.MILLISECONDS.toNanos(countedMs);
        metrics.addFlushNanos(tookNs);
        if (isSlow("write of data to disk", tookNs)) {
            metrics.incrPacketsSlowWriteToDisk();
        }
    }

    /** What becomes of the page cache behind the writer was seen to, and took so long. */
    void managedPageCache(long tookNs) {
        if (isSlow("management of the page cache", tookNs)) {
            metrics.incrPacketsSlowWriteToOsCache();
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
        countIfSlow("sync", System.nanoTime() - syncBeganNs);
    }

    /** What was left was written, and the files closed, which took so long. */
    void closed(long tookNs) {
        metrics.addFlushNanos(tookNs);
        countIfSlow("end", tookNs);
    }

    private void countIfSlow(String what, long tookNs) {
        if (isSlow(what, tookNs)) {
            metrics.incrSlowFlushOrSyncCount();
        }
    }

    private boolean isSlow(String what, long tookNs) {
        long tookMs = TimeUnit.NANOSECONDS.toMillis(tookNs);
        boolean slow = tookMs > slowMs;
        if (slow) {
            LOG.warn(
                    "Slow {}: {} ms (threshold {} ms), volume {}, block {}",
                    what,
                    tookMs,
                    slowMs,
                    replica.getVolume(),
                    replica.getBlockId());
        }
        return slow;
    }
}
