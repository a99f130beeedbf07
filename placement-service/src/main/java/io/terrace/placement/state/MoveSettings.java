package io.terrace.placement.state;

import io.terrace.placement.heartbeat.HeartbeatAnswer;

/**
 * Bounds on the moves of one DataNode.
 *
 * @param bytesPerSecond copied into its memory while it serves reads; 0 is no limit
 * @param idleBytesPerSecond a DataNode that serves less than this is idle and has no limit
 * @param inFlight promotions that it carries out at a time
 * @param waiting promotions that may wait for it
 * @param timeoutMs an order without a result is given up after this and the time its bytes take at 10 MB/s
 * @param waitMs a promotion that the budget let wait for longer is given up
 * @param volumes bounds on moves between volumes, which have a budget of their own
 */
public record MoveSettings(
        long bytesPerSecond,
        long idleBytesPerSecond,
        int inFlight,
        int waiting,
        long timeoutMs,
        long waitMs,
        VolumeMoveSettings volumes) {

    /** An order that is slower than this counts as lost. */
    private static final long SLOWEST_BYTES_PER_SECOND = 10_000_000;

    /**
     * Bytes of promotions that can go before they have waited for too long: a second's, and no more than that with each
     * heartbeat.
     *
     * @param heartbeatMs time from one heartbeat of the DataNode to the next
     */
    long bytesInTime(int heartbeatMs) {
        double seconds = 1 + (double) waitMs / Math.max(1_000, heartbeatMs);
        return bytesPerSecond == 0 ? Long.MAX_VALUE : (long) (bytesPerSecond * seconds);
    }

    /** Whether a further promotion to the DataNode would wait for too long before those that wait there have gone. */
    public boolean isBudgetUsedUp(DataNodeState node) {
        HeartbeatAnswer last = node.session().lastAnswer();
        return !node.isIdle()
                && node.moveQueue().promotionBytesWaiting() >= bytesInTime(last == null ? 0 : last.intervalMs());
    }

    /** When an order for so many bytes counts as lost. */
    public long lostAfterMs(long bytes) {
        return timeoutMs + bytes / (SLOWEST_BYTES_PER_SECOND / 1000);
    }

    /** The same for a move between volumes: the others in flight may go first, at the rate that all of them share. */
    public long volumeMoveLostAfterMs(long bytes) {
        long slowest = volumes.bytesPerSecond() == 0
                ? SLOWEST_BYTES_PER_SECOND
                : Math.min(SLOWEST_BYTES_PER_SECOND, volumes.bytesPerSecond());
        return timeoutMs + (long) (1000.0 * bytes * volumes.inFlight() / slowest);
    }
}
