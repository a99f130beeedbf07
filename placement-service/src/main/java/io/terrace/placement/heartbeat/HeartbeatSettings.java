package io.terrace.placement.heartbeat;

/**
 * How often DataNodes report, how much of a report is taken, and when a silent DataNode is given up.
 *
 * @param intervalMs time between two heartbeats of a DataNode
 * @param expiryMs a DataNode that was silent for longer gets no orders and is the home of no block
 * @param forgetMs a DataNode that was silent for longer is forgotten
 * @param entries entries of each list that are taken from one heartbeat
 */
public record HeartbeatSettings(int intervalMs, long expiryMs, long forgetMs, int entries) {

    private static final int MISSED_HEARTBEATS = 3;

    /**
     * Of each of so many DataNodes. Longer with many of them: each heartbeat costs the NameNode some 150 us of processor time,
     * nearly all in Hadoop's RPC. Up to a hundred DataNodes send a hundred heartbeats a second at most, more of them one each,
     * and in all no more than a thousand. Early ones come up to five times as often.
     */
    public int intervalMs(int dataNodes) {
        return Math.max(intervalMs, Math.max(Math.min(1_000, 10 * dataNodes), dataNodes));
    }

    /** Whoever missed so many heartbeats is silent, however rare they are. */
    public long expiryMs(int dataNodes) {
        return Math.max(expiryMs, (long) MISSED_HEARTBEATS * intervalMs(dataNodes));
    }
}
