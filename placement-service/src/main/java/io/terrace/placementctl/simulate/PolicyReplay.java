package io.terrace.placementctl.simulate;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.simulate.RuleAwarePolicy.PoolReads;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.firstread.FirstReadCounts;
import io.terrace.policy.firstread.FirstReadPolicy;
import io.terrace.policy.firstread.VainLimit;
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
 * @param first how first reads went
 * @param readAhead how it went with copies ahead of readers
 */
public record PolicyReplay(
        String label,
        PolicySpec spec,
        RuleAssignments rules,
        List<PoolReads> pools,
        FirstReads first,
        ReadAhead readAhead,
        ReplayResult outcome,
        ReplayTimeline timeline,
        long lengthMs) {

    /** The percent of the bytes moved that may be copied ahead of a first read in vain, where nobody says another one. */
    public static final int VAIN_PERCENT = TerraceSettings.PLACEMENT_FIRST_READ_VAIN.get(key -> null);

    /** From a request to the first read from memory: a heartbeat, the copy, another heartbeat. */
    static final long PROMOTION_DELAY_MS = 500;

    private static final int QUEUED_MOVES = 256;
    static final long FIRST_READ_WITHIN_MS = TerraceSettings.PLACEMENT_FIRST_READ_WITHIN.get(key -> null);

    /**
     * First reads of objects, after a write or at all.
     *
     * @param aheadBytes moved into memory ahead of first reads
     * @param vainBytes of these, not read in time or at the end
     */
    public record FirstReads(long reads, long fromMemory, double aheadBytes, double vainBytes) {}

    /**
     * Reads of blocks that were copied ahead of their reader.
     *
     * @param aheadBytes moved into memory so
     * @param vainBytes of these, not read in time or at the end
     */
    public record ReadAhead(long reads, double aheadBytes, double vainBytes) {}

    /**
     * Simulates, with copies ahead of first reads as by default.
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
        return of(label, spec, rules, trace, memoryBytes, moveBytesPerS, dataNodes, VAIN_PERCENT);
    }

    /**
     * Simulates.
     *
     * @param memoryBytes of all DataNodes together
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     * @param vainPercent of the bytes moved into memory, those that may be copied ahead of a read in vain; 0 for no such copies
     */
    public static PolicyReplay of(
            String label,
            PolicySpec spec,
            RuleAssignments rules,
            Trace trace,
            long memoryBytes,
            long moveBytesPerS,
            int dataNodes,
            int vainPercent) {
        TierHierarchy tiers =
                TierHierarchy.of(PolicySpec.TIERS.tier(0).withCapacity(memoryBytes), PolicySpec.TIERS.tier(1));
        long lengthMs = trace.timeMs(trace.rows() - 1);
        FirstReadPolicy ahead = new FirstReadPolicy(
                spec.make(tiers),
                rules::directory,
                rules.files(),
                TerraceSettings.PLACEMENT_READ_AHEAD_BLOCKS.get(key -> null),
                memoryBytes,
                FIRST_READ_WITHIN_MS,
                new VainLimit(vainPercent / 100.0, VainLimit.AT_FIRST_BYTES));
        RuleAwarePolicy ruled =
                new RuleAwarePolicy(vainPercent == 0 ? spec.make(tiers) : ahead, spec, rules, memoryBytes);
        FirstReadCounts firstReads = new FirstReadCounts(ruled);
        ReplayTimeline timeline = new ReplayTimeline(firstReads, lengthMs);
        ReplayConditions replayConditions =
                new ReplayConditions(PROMOTION_DELAY_MS, moveBytesPerS, QUEUED_MOVES * Math.max(1, dataNodes));
        try (ProgressLine progress = new ProgressLine("simulating " + spec.policy(), trace.rows())) {
            ReplayResult outcome =
                    TraceReplay.replay(trace, tiers, replayConditions, timeline, System::nanoTime, progress::at);
            FirstReads first = new FirstReads(
                    firstReads.reads(),
                    firstReads.served(),
                    ahead.firstReads().copiedBytes(),
                    ahead.firstReads().vainBytes());
            ReadAhead readAhead = new ReadAhead(
                    ahead.readAhead().reads(),
                    ahead.readAhead().copiedBytes(),
                    ahead.readAhead().vainBytes());
            return new PolicyReplay(
                    label, spec, rules, ruled.poolReads(), first, readAhead, outcome, timeline, lengthMs);
        }
    }

    /** Modelled time of all reads, in milliseconds. */
    public double readMs() {
        return outcome.meanReadMs() * outcome.reads();
    }
}
