package io.terrace.policy.replay;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Arrays;
import java.util.Map;

/** Reads of whole objects, one after the other, again and again, against a memory that holds only some of them. */
final class LoopReads {

    /** After so many passes a policy should have settled. */
    static final int SETTLING_PASSES = 3;

    private final long[] sizes;
    private final long memoryBytes;
    private final long gapMs;

    /** @param gapMs time from the beginning of a read to that of the next one */
    LoopReads(long[] sizes, long memoryBytes, long gapMs) {
        this.sizes = sizes;
        this.memoryBytes = memoryBytes;
        this.gapMs = gapMs;
    }

    /** Equal objects of {@code sizeBytes}, with room for {@code room} of them. */
    static LoopReads equal(int objects, int room, long sizeBytes, long gapMs) {
        long[] sizes = new long[objects];
        Arrays.fill(sizes, sizeBytes);
        return new LoopReads(sizes, room * sizeBytes, gapMs);
    }

    /**
     * What a policy came to.
     *
     * @param hitBytes share of the bytes read after the settling passes that memory served
     * @param movedPerByte bytes moved beyond what fills the memory once, for each byte read
     */
    record Outcome(double hitBytes, double movedPerByte) {}

    Outcome replay(String policy, int passes, ReplayConditions replayConditions) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", memoryBytes, 1_000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        ReplayResult whole = TraceReplay.replay(
                trace(passes), hierarchy, replayConditions, PolicyCatalog.create(policy, Map.of(), hierarchy));
        ReplayResult settling = TraceReplay.replay(
                trace(SETTLING_PASSES), hierarchy, replayConditions, PolicyCatalog.create(policy, Map.of(), hierarchy));
        return new Outcome(
                (whole.tierBytes()[0] - settling.tierBytes()[0]) / (whole.readBytes() - settling.readBytes()),
                Math.max(0, whole.promotedBytes() - memoryBytes) / whole.readBytes());
    }

    private Trace trace(int passes) {
        Trace.Builder rows = new Trace.Builder("loop");
        long ms = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (int object = 0; object < sizes.length; object++) {
                rows.add(ms, object, sizes[object], sizes[object], false, -1);
                ms += gapMs;
            }
        }
        return rows.build();
    }
}
