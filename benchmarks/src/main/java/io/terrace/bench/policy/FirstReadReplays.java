package io.terrace.bench.policy;

import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.firstread.FirstReadCounts;
import io.terrace.policy.firstread.FirstReadPolicy;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether first reads of objects come from memory where the service learns what is read soon after it was written: the
 * adaptive policy alone and in {@link FirstReadPolicy}.
 */
final class FirstReadReplays {

    private static final double[] SHARES = {0.01, 0.05, 0.1};
    private static final long WITHIN_MS = Duration.ofHours(6).toMillis();
    private static final double VAIN_SHARE = 0.1;
    private static final String PIPELINE = "synth_pipeline";

    private final PolicyVariant policy = new PolicyVariant(PolicyVariant.OURS, PolicyVariant.OURS, Map.of());
    private final Map<String, Number> figures = new LinkedHashMap<>();
    private final PrintWriter out;
    private double leastOnPipeline = Double.POSITIVE_INFINITY;
    private double mostVain;

    FirstReadReplays(PrintWriter out) {
        this.out = out;
    }

    /** A policy as it is in the service by default: with copies before first reads. */
    static FirstReadPolicy ahead(PlacementPolicy policy, Trace trace, TierHierarchy hierarchy) {
        return new FirstReadPolicy(
                policy,
                object -> "group " + trace.group((int) object),
                hierarchy.tier(0).capacityBytes(),
                WITHIN_MS,
                new VainLimit(VAIN_SHARE, hierarchy.tier(0).capacityBytes() / 1_000));
    }

    void header() {
        out.printf("%-28s %7s %15s %15s %9s %9s%n", "trace", "memory", "first: before", "ahead", "moved", "in vain");
    }

    /** Replays one trace at each memory size. */
    void replay(Trace trace, double[] wanted) {
        for (double share : wanted.length == 0 ? SHARES : wanted) {
            ReplayCase replayCase = new ReplayCase(trace.name(), 2, share);
            TierHierarchy hierarchy = replayCase.hierarchy(trace.readFootprintBytes());
            FirstReadCounts before = new FirstReadCounts(policy.make(hierarchy));
            ReplayResult without = TraceReplay.replay(trace, hierarchy, ReplayConditions.INSTANT, before);
            FirstReadPolicy ahead = ahead(policy.make(hierarchy), trace, hierarchy);
            FirstReadCounts after = new FirstReadCounts(ahead);
            ReplayResult with = TraceReplay.replay(trace, hierarchy, ReplayConditions.INSTANT, after);
            record(replayCase, before.share(), after.share(), ahead, without, with);
        }
    }

    private void record(
            ReplayCase replayCase,
            double before,
            double after,
            FirstReadPolicy ahead,
            ReplayResult without,
            ReplayResult with) {
        double moved = Math.max(1, ahead.copiedBytes());
        double vain = ahead.vainBytes() / moved;
        out.printf(
                "%-28s %7.3f %15.4f %15.4f %9.4f %9.4f   hits %.4f, %.4f%n",
                replayCase.file(),
                replayCase.memory(),
                before,
                after,
                ahead.aheadBytes() / moved,
                vain,
                without.objectHitRatio(),
                with.objectHitRatio());
        out.flush();
        String key = "first/" + replayCase.key() + "/";
        figures.put(key + "share.before", before);
        figures.put(key + "share", after);
        figures.put(key + "ahead", ahead.aheadBytes() / moved);
        figures.put(key + "vain", vain);
        figures.put(key + "object_hit.before", without.objectHitRatio());
        figures.put(key + "object_hit", with.objectHitRatio());
        mostVain = Math.max(mostVain, vain);
        if (replayCase.file().equals(PIPELINE)) {
            leastOnPipeline = Math.min(leastOnPipeline, after);
        }
    }

    /** All that was replayed. */
    Map<String, Number> figures() {
        Map<String, Number> all = new LinkedHashMap<>();
        if (leastOnPipeline < Double.POSITIVE_INFINITY) {
            all.put("first.share", leastOnPipeline);
        }
        all.put("first.vain", mostVain);
        all.putAll(figures);
        return all;
    }
}
