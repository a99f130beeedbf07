package io.terrace.client.read;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.function.ToIntFunction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Puts the replica on the faster storage type before equally near ones, in what the NameNode answered: its order among them is
 * by chance. Replicas are equally near if they are as far from the reader, where the client knows its place in the network, or
 * in the same place of it. A replica never passes a nearer one, and one whose DataNode leaves, is in maintenance or was not heard of
 * lately passes none.
 *
 * <p>Without effect on blocks with a cached replica, which the reader is to have, and on erasure-coded ones. Not thread-safe: for an
 * answer that nobody else has yet.
 */
public final class ReplicaOrder {

    private final boolean enabled;
    private final long staleMs;
    private final MetricRegistry metricRegistry;

    /**
     * An order.
     *
     * @param enabled false leaves the NameNode's
     * @param staleMs a DataNode that was heard of so much earlier than another of the block's is not preferred
     */
    public ReplicaOrder(boolean enabled, long staleMs, MetricRegistry metricRegistry) {
        this.enabled = enabled;
        this.staleMs = staleMs;
        this.metricRegistry = metricRegistry;
    }

    /**
     * Orders the replicas of each block.
     *
     * @param distances of DataNodes from the reader; {@link Integer#MAX_VALUE} where it is not known
     */
    public void apply(LocatedBlocks blocks, ToIntFunction<DatanodeInfo> distances) {
        if (enabled) {
            blocks.getLocatedBlocks().forEach(block -> apply(block, distances));
        }
    }

    private void apply(LocatedBlock block, ToIntFunction<DatanodeInfo> distances) {
        DatanodeInfoWithStorage[] replicas = block.getLocations();
        if (block.isStriped() || block.getCachedLocations().length > 0 || isOfOneType(replicas)) {
            return;
        }
        long latestMs = Long.MIN_VALUE;
        int[] distance = new int[replicas.length];
        for (int i = 0; i < replicas.length; i++) {
            latestMs = Math.max(latestMs, replicas[i].getLastUpdateMonotonic());
            distance[i] = distances.applyAsInt(replicas[i]);
        }
        DatanodeInfoWithStorage first = replicas[0];
        boolean changed = false;
        // Each goes before slower ones of its class of equally near replicas; there are few.
        for (int i = 1; i < replicas.length; i++) {
            int at = i;
            int before = nearestBefore(replicas, distance, at, latestMs);
            while (before >= 0 && rank(replicas[at]) < rank(replicas[before])) {
                DatanodeInfoWithStorage faster = replicas[at];
                replicas[at] = replicas[before];
                replicas[before] = faster;
                changed = true;
                at = before;
                before = nearestBefore(replicas, distance, at, latestMs);
            }
        }
        if (changed) {
            block.updateCachedStorageInfo();
        }
        if (!replicas[0].equals(first)) {
            metricRegistry.increment(Metric.CLIENT_FS_FASTER_TYPE);
        }
    }

    private static boolean isOfOneType(DatanodeInfoWithStorage[] replicas) {
        for (int i = 1; i < replicas.length; i++) {
            if (replicas[i].getStorageType() != replicas[0].getStorageType()) {
                return false;
            }
        }
        return true;
    }

    /** The last replica before this one that is as near; -1 where there is none, or this one must not pass it. */
    private int nearestBefore(DatanodeInfoWithStorage[] replicas, int[] distance, int at, long latestMs) {
        if (!isServing(replicas[at], latestMs)) {
            return -1;
        }
        for (int i = at - 1; i >= 0; i--) {
            boolean known = distance[at] != Integer.MAX_VALUE || distance[i] != Integer.MAX_VALUE;
            boolean equallyNear = known
                    ? distance[i] == distance[at]
                    : replicas[i].getNetworkLocation().equals(replicas[at].getNetworkLocation());
            if (equallyNear && isServing(replicas[i], latestMs)) {
                return i;
            }
        }
        return -1;
    }

    /** The NameNode may have put others behind for it. */
    private boolean isServing(DatanodeInfo datanode, long latestMs) {
        return datanode.getAdminState() == DatanodeInfo.AdminStates.NORMAL
                && latestMs - datanode.getLastUpdateMonotonic() < staleMs;
    }

    /** Lower is faster. The order of stock's enum is another: NVDIMM comes last there. */
    private static int rank(DatanodeInfoWithStorage replica) {
        StorageType type = replica.getStorageType();
        if (type == null) {
            return Integer.MAX_VALUE;
        }
        return switch (type) {
            case RAM_DISK -> 0;
            case NVDIMM -> 1;
            case SSD -> 2;
            case DISK -> 3;
            case ARCHIVE -> 4;
            default -> 5;
        };
    }
}
