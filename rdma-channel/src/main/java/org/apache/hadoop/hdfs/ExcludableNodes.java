package org.apache.hadoop.hdfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/**
 * How many DataNodes the NameNode can leave out when a client asks for a block. Only an administrator may ask how many there are,
 * so it is learned from what the NameNode refuses, for a minute. Also how often it may leave out one without a channel, which
 * costs calls. Thread-safe.
 */
final class ExcludableNodes {
    private static final long KNOWN_NS = TimeUnit.MINUTES.toNanos(1);

    /** Blocks over the channel for each one that is given back. */
    static final int EARNED_BY = 4;

    /** So many are given back in a row. */
    static final int MOST_GIVEN_BACK = 4;

    private int refused = Integer.MAX_VALUE;
    private long untilNs;

    /** Blocks over the channel since one was given back, of those that count; the first is enough to begin with. */
    private int earned = EARNED_BY - 1;

    synchronized boolean allows(int count) {
        return count < refused || System.nanoTime() - untilNs > 0;
    }

    /** So many were too many. */
    synchronized void refuses(int count) {
        long nowNs = System.nanoTime();
        refused = nowNs - untilNs > 0 ? count : Math.min(refused, count);
        untilNs = nowNs + KNOWN_NS;
    }

    /** A block has begun over the channel. */
    synchronized void begunOverChannel() {
        earned = Math.min(earned + 1, EARNED_BY * MOST_GIVEN_BACK);
    }

    /**
     * Whether one more block may be given back because a DataNode has no channel. It costs the NameNode two calls, and helps only
     * where most others have one.
     */
    synchronized boolean giveBack() {
        if (earned < EARNED_BY) {
            return false;
        }
        earned -= EARNED_BY;
        return true;
    }

    /**
     * Fails where a block is placed worse because these were excluded: at fewer DataNodes, at those of one rack, or at other types of
     * storage.
     *
     * @param before types of storage of the file's block before; none where there was none
     */
    static void check(
            DatanodeInfo[] nodes,
            StorageType[] types,
            Set<DatanodeInfo> excluded,
            int replication,
            StorageType[] before) {
        if (excluded.isEmpty()) {
            return;
        }
        boolean oneRack = nodes.length > 1
                && racks(Arrays.stream(nodes)) == 1
                && racks(Stream.concat(Arrays.stream(nodes), excluded.stream())) > 1;
        if (nodes.length < replication || oneRack) {
            throw new PoorlyPlacedException("too few DataNodes, or all of one rack", false);
        }
        if (lacksOneOf(before, types)) {
            throw new PoorlyPlacedException("other types of storage than those of the block before", true);
        }
    }

    private static long racks(Stream<DatanodeInfo> nodes) {
        return nodes.map(DatanodeInfo::getNetworkLocation).distinct().count();
    }

    private static boolean lacksOneOf(StorageType[] before, StorageType[] types) {
        List<StorageType> lacking = new ArrayList<>(Arrays.asList(before));
        for (StorageType type : types) {
            lacking.remove(type);
        }
        return !lacking.isEmpty();
    }

    /** Unchecked: it ends stock's loop that asks for a block, which takes any other fault for one of a DataNode. */
    static final class PoorlyPlacedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final boolean ofPolicy;

        PoorlyPlacedException(String message, boolean ofPolicy) {
            super(message, null, false, false);
            this.ofPolicy = ofPolicy;
        }

        /** Whether files of another storage policy may be placed well. */
        boolean isOfPolicy() {
            return ofPolicy;
        }
    }
}
