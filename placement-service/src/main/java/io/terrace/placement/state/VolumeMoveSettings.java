package io.terrace.placement.state;

/**
 * Bounds on moves of replicas between volumes.
 *
 * @param bytesPerSecond moved on a DataNode while it serves reads; 0 is no limit
 * @param totalBytesPerSecond moved on all DataNodes; 0 is no limit
 * @param inFlight moves that a DataNode carries out at a time
 * @param totalInFlight moves that all carry out at a time
 * @param waiting moves that may wait for a DataNode
 * @param highWater used part of a tier on a DataNode, 0 to 1, above which it is drained
 * @param coldMs without an access after which a block goes down
 * @param othersRestMs for which a replica that somebody else moved is left alone
 */
public record VolumeMoveSettings(
        long bytesPerSecond,
        long totalBytesPerSecond,
        int inFlight,
        int totalInFlight,
        int waiting,
        double highWater,
        long coldMs,
        long othersRestMs) {}
