package io.terrace.policy.replay;

/**
 * What moving costs in a simulation, and when reads are reported to the policy.
 *
 * @param promotionDelayMs time from a request to climb until reads are served by the faster tier; demotions take effect
 *     at once
 * @param moveBytesPerS budget of climbing bytes; moves wait in line for it. 0 means no limit
 * @param queuedMoves moves that may be under way or in line; a further request fails
 * @param reportMs reads from the last tier are reported as one access per object that often; 0 reports each read at
 *     once
 * @param fastReportMs as {@code reportMs}, for reads from any faster tier
 */
public record ReplayConditions(
        long promotionDelayMs, long moveBytesPerS, int queuedMoves, long reportMs, long fastReportMs) {

    /** Moves are at once and cost nothing, and each read is reported by itself. */
    public static final ReplayConditions INSTANT = new ReplayConditions(0, 0, 1 << 20);

    public ReplayConditions {
        if (promotionDelayMs < 0 || moveBytesPerS < 0 || queuedMoves < 1 || reportMs < 0 || fastReportMs < 0) {
            throw new IllegalArgumentException(
                    "a replay needs a delay, a budget and times between reports of at least 0"
                            + " and a queue of at least 1, not " + promotionDelayMs + " ms, " + moveBytesPerS
                            + " bytes/s, "
                            + reportMs + " ms, " + fastReportMs + " ms, " + queuedMoves);
        }
    }

    /** Conditions in which each read is reported by itself. */
    public ReplayConditions(long promotionDelayMs, long moveBytesPerS, int queuedMoves) {
        this(promotionDelayMs, moveBytesPerS, queuedMoves, 0, 0);
    }

    public static ReplayConditions delayed(long promotionDelayMs) {
        return new ReplayConditions(promotionDelayMs, 0, 1 << 20);
    }

    /** The same conditions with reads reported in sums, as DataNodes report them to the placement service. */
    public ReplayConditions reporting(long everyMs, long fastEveryMs) {
        return new ReplayConditions(promotionDelayMs, moveBytesPerS, queuedMoves, everyMs, fastEveryMs);
    }
}
