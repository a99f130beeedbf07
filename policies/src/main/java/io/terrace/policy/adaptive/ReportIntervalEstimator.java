package io.terrace.policy.adaptive;

/**
 * How often a caller reports reads that it sums up, learned from the accesses themselves: the time since an object was
 * reported before, when several of its reads are reported as one. As objects may also be read several times at once
 * after long, the lower quartile of these times is followed, by steps in proportion to it. 0 until reads are reported
 * as sums.
 *
 * <p>An object that was read just before the last report and one that was read just after it look alike: until a period
 * has passed, silence says nothing.
 */
final class ReportIntervalEstimator {

    /** Taken for the period while nothing is known of it. */
    static final long FIRST_PERIOD_MS = 1000;

    private static final long LONGEST_MS = 10_000;
    private static final double UP = 1.02;
    private static final double DOWN = 0.94;

    private double periodMs;

    /** Several reads of an object were reported as one, so long after its last report. */
    void toldTogether(long ageMs) {
        double sample = Math.max(1, Math.min(ageMs, LONGEST_MS));
        if (periodMs == 0) {
            periodMs = sample;
        } else if (sample > periodMs) {
            periodMs = Math.min(sample, periodMs * UP);
        } else if (sample < periodMs) {
            periodMs = Math.max(sample, periodMs * DOWN);
        }
    }

    double periodMs() {
        return periodMs;
    }
}
