package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodePeerMetrics;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.jspecify.annotations.Nullable;

/** What a writer of replicas needs of a DataNode and Hadoop keeps to this package. Only forwards. */
public final class TerraceWriteAccess {
    private static final int FOR_EVER_MS = Integer.MAX_VALUE / 2;

    private TerraceWriteAccess() {}

    /** Tells the NameNode that a replica is being written. */
    public static void receiving(DataNode datanode, ExtendedBlock block, String storageUuid) {
        datanode.notifyNamenodeReceivingBlock(block, storageUuid);
    }

    /** Tells the NameNode that a replica is finalised. */
    public static void received(DataNode datanode, ExtendedBlock block, String storageUuid, boolean transientStorage) {
        datanode.closeBlock(block, null, storageUuid, transientStorage);
    }

    /** Whether a client must show a block token. */
    public static boolean needsTokens(DataNode datanode) {
        return datanode.isBlockTokenEnabled;
    }

    /** The length of a block whose client names none. */
    public static long estimatedBlockBytes(DataNode datanode) {
        return datanode.getXferServer().estimateBlockSize;
    }

    /** Paces what clients write; null where nothing does. */
    public static @Nullable DataTransferThrottler throttler(DataNode datanode) {
        return datanode.getXferServer().getWriteThrottler();
    }

    /** {@code dfs.datanode.synconclose}. */
    public static boolean syncsOnClose(DataNode datanode) {
        return datanode.getDnConf().syncOnClose;
    }

    /** {@code dfs.datanode.drop.cache.behind.writes}. */
    public static boolean dropsCacheBehindWrites(DataNode datanode) {
        return datanode.getDnConf().dropCacheBehindWrites;
    }

    /** How far behind a writer pages are dropped. */
    public static long cacheDropLagBytes() {
        return BlockReceiver.CACHE_DROP_LAG_BYTES;
    }

    /** {@code dfs.datanode.sync.behind.writes}. */
    public static boolean syncsBehindWrites(DataNode datanode) {
        return datanode.getDnConf().syncBehindWrites;
    }

    /** {@code dfs.datanode.sync.behind.writes.in.background}. */
    public static boolean syncsBehindWritesInBackground(DataNode datanode) {
        return datanode.getDnConf().syncBehindWritesInBackground;
    }

    /** A client that sends nothing for so long within a block is given up. 0 is for ever in Hadoop, and twelve days here. */
    public static int readTimeoutMs(DataNode datanode) {
        int timeoutMs = datanode.getDnConf().socketTimeout;
        return timeoutMs > 0 ? timeoutMs : FOR_EVER_MS;
    }

    /** So long may the next DataNode of a block be silent, with so many DataNodes from there on, while it owes an answer. */
    public static int answerTimeoutMs(DataNode datanode, int nodes) {
        return readTimeoutMs(datanode) + HdfsConstants.READ_TIMEOUT_EXTENSION * nodes;
    }

    /** {@code dfs.datanode.use.datanode.hostname}. */
    public static boolean connectsByHostname(DataNode datanode) {
        return datanode.getDnConf().getConnectToDnViaHostname();
    }

    /** A connection between two operations is kept for so long. */
    public static int keepAliveMs(DataNode datanode) {
        return datanode.getDnConf().socketKeepaliveTimeout;
    }

    /** Whether it shuts down for an upgrade. */
    public static boolean isRestarting(DataNode datanode) {
        return datanode.isRestarting();
    }

    /** {@code dfs.datanode.restart.replica.expiration}. */
    public static long restartBudgetMs(DataNode datanode) {
        return datanode.getDnConf().restartReplicaExpiry;
    }

    /**
     * Counts how long a packet took to the last DataNode of a pipeline, where {@code dfs.datanode.peer.stats.enabled} is set. The
     * NameNode finds slow DataNodes by it (HDFS-10917).
     */
    public static void sentToLast(DataNode datanode, DatanodeInfo last, long tookMs) {
        DataNodePeerMetrics metrics = datanode.getPeerMetrics();
        if (metrics != null && datanode.getDnConf().peerStatsEnabled) {
            metrics.addSendPacketDownstream(
                    last.getInfoSecurePort() != 0 ? last.getInfoSecureAddr() : last.getInfoAddr(), tookMs);
            // What a thread has counted is lost with it, and one that forwards ends with its block.
            metrics.collectThreadLocalStates();
        }
    }

    /** Whether the NameNode calls it slow, and {@code dfs.pipeline.slownode} is on. */
    public static boolean isSlow(DataNode datanode, String poolId) {
        return datanode.getSLOWByBlockPoolId(poolId) == PipelineAck.SLOW.SLOW;
    }

    /** Counts a transfer that failed, under the other side's address. */
    public static void networkError(DataNode datanode, String host) {
        datanode.incrDatanodeNetworkErrors(host);
    }
}
