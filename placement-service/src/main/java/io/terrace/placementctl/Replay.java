package io.terrace.placementctl;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.RuledPolicy.PoolReads;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.sim.Outcome;
import io.terrace.policy.sim.Simulator;
import io.terrace.policy.sim.Trace;
import io.terrace.policy.sim.World;
import java.util.List;

/**
 * One policy's simulation over a trace.
 *
 * @param label what it is called beside another one
 * @param rules which of its rules hold for which objects
 * @param pools how the reads of each pool went; empty where memory is not divided
 */
record Replay(
        String label,
        PolicySpec spec,
        LoggedRules rules,
        List<PoolReads> pools,
        Outcome outcome,
        Timeline timeline,
        long lengthMs) {

    /** From a wish to the first read from memory: a heartbeat, the copy, another heartbeat. */
    static final long PROMOTION_DELAY_MS = 500;

    private static final int QUEUED_MOVES = 256;

    /**
     * Simulates.
     *
     * @param memoryBytes of all DataNodes together
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     */
    static Replay of(
            String label,
            PolicySpec spec,
            LoggedRules rules,
            Trace trace,
            long memoryBytes,
            long moveBytesPerS,
            int dataNodes) {
        Hierarchy tiers = Hierarchy.of(PolicySpec.TIERS.tier(0).withCapacity(memoryBytes), PolicySpec.TIERS.tier(1));
        long lengthMs = trace.timeMs(trace.rows() - 1);
        RuledPolicy ruled = new RuledPolicy(spec.make(tiers), spec, rules, memoryBytes);
        Timeline timeline = new Timeline(ruled, lengthMs);
        World world = new World(PROMOTION_DELAY_MS, moveBytesPerS, QUEUED_MOVES * Math.max(1, dataNodes));
        try (ProgressLine progress = new ProgressLine("simulating " + spec.policy(), trace.rows())) {
            Outcome outcome = Simulator.replay(trace, tiers, world, timeline, System::nanoTime, progress::at);
            return new Replay(label, spec, rules, ruled.poolReads(), outcome, timeline, lengthMs);
        }
    }

    /** Modelled time of all reads, in milliseconds. */
    double readMs() {
        return outcome.meanReadMs() * outcome.reads();
    }
}
