package io.terrace.placementctl.simulate;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.simulate.RuleAwarePolicy.PoolReads;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.util.List;

/**
 * One policy's simulation over a trace.
 *
 * @param label what it is called beside another one
 * @param rules which of its rules hold for which objects
 * @param pools how the reads of each pool went; empty where memory is not divided
 */
public record PolicyReplay(
        String label,
        PolicySpec spec,
        RuleAssignments rules,
        List<PoolReads> pools,
        ReplayResult outcome,
        ReplayTimeline timeline,
        long lengthMs) {

    /** From a request to the first read from memory: a heartbeat, the copy, another heartbeat. */
    static final long PROMOTION_DELAY_MS = 500;

    private static final int QUEUED_MOVES = 256;

    /**
     * Simulates.
     *
     * @param memoryBytes of all DataNodes together
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     */
    public static PolicyReplay of(
            String label,
            PolicySpec spec,
            RuleAssignments rules,
            Trace trace,
            long memoryBytes,
            long moveBytesPerS,
            int dataNodes) {
        TierHierarchy tiers =
                TierHierarchy.of(PolicySpec.TIERS.tier(0).withCapacity(memoryBytes), PolicySpec.TIERS.tier(1));
        long lengthMs = trace.timeMs(trace.rows() - 1);
        RuleAwarePolicy ruled = new RuleAwarePolicy(spec.make(tiers), spec, rules, memoryBytes);
        ReplayTimeline timeline = new ReplayTimeline(ruled, lengthMs);
        ReplayConditions replayConditions =
                new ReplayConditions(PROMOTION_DELAY_MS, moveBytesPerS, QUEUED_MOVES * Math.max(1, dataNodes));
        try (ProgressLine progress = new ProgressLine("simulating " + spec.policy(), trace.rows())) {
            ReplayResult outcome =
                    TraceReplay.replay(trace, tiers, replayConditions, timeline, System::nanoTime, progress::at);
            return new PolicyReplay(label, spec, rules, ruled.poolReads(), outcome, timeline, lengthMs);
        }
    }

    /** Modelled time of all reads, in milliseconds. */
    public double readMs() {
        return outcome.meanReadMs() * outcome.reads();
    }
}
