package io.terrace.bench.policy;

import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What it is worth to weigh reads by the time that memory saves them: random reads of large blocks, scans and look-ups of
 * small files at once. The mean time of a read with the objective {@code time}, against the best of all other policies and
 * objectives in that cell, and the bytes that it moved into memory for each byte read.
 */
final class PatternReplays {

    private static final double[] SHARES = {0.02, 0.1, 0.3};

    private final List<PolicyVariant> contestants;
    private final PrintWriter out;
    private final Map<String, Number> figures = new LinkedHashMap<>();
    private double leastRatio = Double.POSITIVE_INFINITY;

    PatternReplays(List<PolicyVariant> contestants, PrintWriter out) {
        this.contestants = contestants;
        this.out = out;
    }

    void header() {
        out.printf(
                "%-22s %6s  %9s %9s %9s %9s %-16s %7s %8s%n",
                "trace", "memory", "time, ms", "tiered", "bytes", "best", "of others", "ratio", "moved");
    }

    void replay(Trace trace) {
        for (double share : SHARES) {
            replay(new ReplayCase(trace.name(), 2, share), trace);
        }
    }

    private void replay(ReplayCase replayCase, Trace trace) {
        TierHierarchy hierarchy = replayCase.hierarchy(trace.readFootprintBytes());
        Map<String, Double> means = new LinkedHashMap<>();
        Map<String, Double> moved = new LinkedHashMap<>();
        String best = "";
        double least = Double.POSITIVE_INFINITY;
        for (PolicyVariant policyVariant : contestants) {
            ReplayResult outcome =
                    TraceReplay.replay(trace, hierarchy, ReplayConditions.INSTANT, policyVariant.make(hierarchy));
            means.put(policyVariant.label(), outcome.meanReadMs());
            if (!policyVariant.label().equals(PolicyVariant.OURS_TIME) && outcome.meanReadMs() < least) {
                best = policyVariant.label();
                least = outcome.meanReadMs();
            }
            moved.put(policyVariant.label(), outcome.promotedPerReadByte());
        }
        double ours = means.getOrDefault(PolicyVariant.OURS_TIME, Double.NaN);
        double ratio = least / ours;
        double tiered = means.getOrDefault(PolicyVariant.OURS, Double.NaN);
        out.printf(
                "%-22s %6.2f  %9.3f %9.3f %9.3f %9.3f %-16s %7.3f %8.3f%n",
                replayCase.trace(),
                replayCase.memory(),
                ours,
                tiered,
                means.getOrDefault(PolicyVariant.OURS_BYTES, Double.NaN),
                least,
                best,
                ratio,
                moved.getOrDefault(PolicyVariant.OURS_TIME, Double.NaN));
        out.flush();
        figures.put(replayCase.key() + "/time.vs_best", ratio);
        figures.put(replayCase.key() + "/time.vs_tiered", tiered / ours);
        leastRatio = Math.min(leastRatio, ratio);
    }

    /** The least ratio, then each cell's. */
    Map<String, Number> figures() {
        Map<String, Number> all = new LinkedHashMap<>();
        all.put("patterns.vs_best.min", leastRatio);
        all.putAll(figures);
        return all;
    }
}
