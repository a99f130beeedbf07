package io.terrace.placementctl;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.sim.Outcome;
import io.terrace.policy.sim.Simulator;
import io.terrace.policy.sim.Trace;
import io.terrace.policy.sim.World;

/**
 * One policy's simulation over a trace.
 *
 * @param label what it is called beside another one
 */
record Replay(String label, PolicySpec spec, Outcome outcome, Timeline timeline, long lengthMs) {

    /** From a wish to the first read from memory: a heartbeat, the copy, another heartbeat. */
    static final long PROMOTION_DELAY_MS = 500;

    private static final int QUEUED_MOVES = 256;

    /**
     * Simulates.
     *
     * @param memoryBytes of all DataNodes together
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     */
    static Replay of(String label, PolicySpec spec, Trace trace, long memoryBytes, long moveBytesPerS, int dataNodes) {
        Hierarchy tiers = Hierarchy.of(PolicySpec.TIERS.tier(0).withCapacity(memoryBytes), PolicySpec.TIERS.tier(1));
        long lengthMs = trace.timeMs(trace.rows() - 1);
        Timeline timeline = new Timeline(spec.make(tiers), spec.size(), lengthMs);
        World world = new World(PROMOTION_DELAY_MS, moveBytesPerS, QUEUED_MOVES * Math.max(1, dataNodes));
        try (ProgressLine progress = new ProgressLine("simulating " + spec.policy(), trace.rows())) {
            Outcome outcome = Simulator.replay(trace, tiers, world, timeline, System::nanoTime, progress::at);
            return new Replay(label, spec, outcome, timeline, lengthMs);
        }
    }

    /** Modelled time of all reads, in milliseconds. */
    double readMs() {
        return outcome.meanReadMs() * outcome.reads();
    }
}
