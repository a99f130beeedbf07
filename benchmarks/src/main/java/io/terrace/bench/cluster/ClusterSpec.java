package io.terrace.bench.cluster;

import java.util.Map;

/**
 * What a local cluster is to be, chosen when it is first brought up and kept for every later start.
 *
 * @param datanodes how many DataNodes
 * @param memoryBytes capacity of the memory tier of each DataNode, bytes
 * @param blockBytes block size that clients of this cluster use, bytes
 * @param replication replicas of a file, at most {@code datanodes}
 * @param terrace whether the daemons run with Terrace; without, the cluster is stock HDFS
 * @param blockTokens whether reads need a block token
 * @param nativeDir directory with libhadoop.so for the DataNodes, empty for none; with it, stock short-circuit reads work.
 *     Classes below it come before Hadoop's: an older library needs some
 * @param heapMb heap of each daemon, megabytes
 * @param properties more properties for every daemon and client, the last word over ours
 */
public record ClusterSpec(
        int datanodes,
        long memoryBytes,
        long blockBytes,
        int replication,
        boolean terrace,
        boolean blockTokens,
        String nativeDir,
        int heapMb,
        Map<String, String> properties) {
    /** One host runs few daemons; more is a typing error. */
    public static final int MAX_DATANODES = 32;

    public ClusterSpec {
        require(datanodes >= 1 && datanodes <= MAX_DATANODES, "datanodes must be 1 to " + MAX_DATANODES);
        require(memoryBytes >= 0, "memory must not be negative");
        require(blockBytes >= 1 << 20 && blockBytes % 512 == 0, "block size must be at least 1m and a multiple of 512");
        require(replication >= 1 && replication <= datanodes, "replication must be 1 to the number of DataNodes");
        require(heapMb >= 64, "heap must be at least 64 MB");
        properties = Map.copyOf(properties);
    }

    /** A cluster with everything at its default. */
    public static ClusterSpec of(int datanodes, long memoryBytes) {
        return new ClusterSpec(
                datanodes, memoryBytes, 128L << 20, Math.min(3, datanodes), true, false, "", 256, Map.of());
    }

    public ClusterSpec withBlockBytes(long bytes) {
        return new ClusterSpec(
                datanodes, memoryBytes, bytes, replication, terrace, blockTokens, nativeDir, heapMb, properties);
    }

    public ClusterSpec withReplication(int replicas) {
        return new ClusterSpec(
                datanodes, memoryBytes, blockBytes, replicas, terrace, blockTokens, nativeDir, heapMb, properties);
    }

    public ClusterSpec withTerrace(boolean on) {
        return new ClusterSpec(
                datanodes, memoryBytes, blockBytes, replication, on, blockTokens, nativeDir, heapMb, properties);
    }

    public ClusterSpec withNativeDir(String dir) {
        return new ClusterSpec(
                datanodes, memoryBytes, blockBytes, replication, terrace, blockTokens, dir, heapMb, properties);
    }

    public ClusterSpec withHeapMb(int megabytes) {
        return new ClusterSpec(
                datanodes,
                memoryBytes,
                blockBytes,
                replication,
                terrace,
                blockTokens,
                nativeDir,
                megabytes,
                properties);
    }

    public ClusterSpec withProperties(Map<String, String> more) {
        return new ClusterSpec(
                datanodes, memoryBytes, blockBytes, replication, terrace, blockTokens, nativeDir, heapMb, more);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
