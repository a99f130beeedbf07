package io.terrace.policy.replay;

/**
 * What a replay came to. Only reads count; indices of the arrays are tiers, fastest first.
 *
 * @param reads reads replayed
 * @param readBytes bytes they read
 * @param tierReads reads served by each tier
 * @param tierBytes bytes served by each tier
 * @param jobs jobs (and requests without a job) that read anything
 * @param jobsAllHit those served by the fastest tier alone
 * @param promotedBytes bytes moved into the fastest tier
 * @param movedBytes bytes moved into any tier but the last
 * @param moves moves into any tier but the last
 * @param wastedMoves those never read before the object left again or the trace ended
 * @param failedMoves requests that could not be carried out
 * @param peakBytes most bytes that were in each tier but the last
 * @param meanReadMs modelled time of a read, mean
 * @param decisionNs time spent in the policy per access, wall clock
 */
public record ReplayResult(
        long reads,
        double readBytes,
        long[] tierReads,
        double[] tierBytes,
        long jobs,
        long jobsAllHit,
        double promotedBytes,
        double movedBytes,
        long moves,
        long wastedMoves,
        long failedMoves,
        long[] peakBytes,
        double meanReadMs,
        double decisionNs) {

    /** Share of the reads served by the fastest tier. */
    public double objectHitRatio() {
        return share(tierReads[0], reads);
    }

    /** Share of the bytes served by the fastest tier. */
    public double byteHitRatio() {
        return share(tierBytes[0], readBytes);
    }

    public double jobHitRatio() {
        return share(jobsAllHit, jobs);
    }

    public double promotedPerReadByte() {
        return share(promotedBytes, readBytes);
    }

    private static double share(double part, double whole) {
        return whole == 0 ? 0 : part / whole;
    }
}
