package io.terrace.datanode.hdfs.write;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of the page cache behind a writer, by stock's settings and in stock's steps: written out early, or dropped.
 * Used by one thread.
 */
final class WriterPageCache {
    private static final Logger LOG = LoggerFactory.getLogger(WriterPageCache.class);

    private final DataNode datanode;
    private final ExtendedBlock block;
    private final ReplicaOutputStreams streams;
    private final WriteTimes times;
    /** Nothing is done before so much more is written, and what is this near is not dropped. */
    private final long lagBytes = TerraceWriteAccess.cacheDropLagBytes();

    private final boolean drops;
    private final boolean syncs;
    private final boolean syncsInBackground;
    private long lastOffset;

    /** @param dropBehind the client's wish; null leaves it to the DataNode's setting */
    WriterPageCache(
            DataNode datanode,
            ExtendedBlock block,
            ReplicaOutputStreams streams,
            @Nullable Boolean dropBehind,
            WriteTimes times) {
        this.datanode = datanode;
        this.block = block;
        this.streams = streams;
        this.times = times;
        this.drops = dropBehind == null ? TerraceWriteAccess.dropsCacheBehindWrites(datanode) : dropBehind;
        this.syncs = TerraceWriteAccess.syncsBehindWrites(datanode);
        this.syncsInBackground = TerraceWriteAccess.syncsBehindWritesInBackground(datanode);
    }

    /** So much is written. */
    void written(long offset) {
        if (streams.getOutFd() == null || offset <= lastOffset + lagBytes) {
            return;
        }
        long beginNs = System.nanoTime();
        try {
            long bytes = offset - lastOffset;
            if (syncs && syncsInBackground) {
                datanode.getFSDataset()
                        .submitBackgroundSyncFileRangeRequest(
                                block, streams, lastOffset, bytes, NativeIO.POSIX.SYNC_FILE_RANGE_WRITE);
            } else if (syncs) {
                streams.syncFileRangeIfPossible(lastOffset, bytes, NativeIO.POSIX.SYNC_FILE_RANGE_WRITE);
            }
            long dropTo = lastOffset - lagBytes;
            if (drops && dropTo > 0) {
                streams.dropCacheBehindWrites(block.getBlockName(), 0, dropTo, NativeIO.POSIX.POSIX_FADV_DONTNEED);
            }
            lastOffset = offset;
            DataNodeFaultInjector.get().delayWriteToOsCache();
            times.managedPageCache(System.nanoTime() - beginNs);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Cannot manage the page cache behind the writer of {}", block, e);
        }
    }
}
