package io.terrace.bench.policy;

import io.terrace.bench.policy.ReferenceResults.Metric;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Traces replayed against each policy at several memory sizes, and how the adaptive policy does in all. With reference results
 * their cells are replayed; without, two tiers at a few memory sizes.
 */
final class TraceReplays {

    private static final double[] SHARES = {0.01, 0.05, 0.1, 0.2};

    private final @Nullable ReferenceResults reference;
    private final List<PolicyVariant> contestants;
    private final List<Double> shares;
    private final boolean ahead;
    private final PrintWriter out;
    private final RegretSummary summary;
    private final Map<String, Number> figures = new LinkedHashMap<>();

    /**
     * @param shares only these shares of the footprint as memory; all if none is given
     * @param ahead whether the adaptive policy copies objects before their first reads
     */
    TraceReplays(
            @Nullable ReferenceResults reference,
            List<PolicyVariant> contestants,
            List<Double> shares,
            boolean ahead,
            PrintWriter out) {
        this.reference = reference;
        this.contestants = contestants;
        this.shares = shares;
        this.ahead = ahead;
        this.out = out;
        this.summary = new RegretSummary(reference);
    }

    /** Of each cell and policy. */
    Map<String, Number> figures() {
        return figures;
    }

    /** Of all cells. */
    Map<String, Number> summary() {
        return summary.figures();
    }

    /** Replays all cells of a trace. */
    void replay(Trace whole) {
        Trace blocks = null;
        for (ReplayCase replayCase : cells(whole)) {
            if (replayCase.inBlocks() && blocks == null) {
                blocks = whole.inBlocks(ReplayCase.BLOCK_BYTES);
            }
            Trace trace = replayCase.inBlocks() && blocks != null ? blocks : whole;
            Map<String, ReplayResult> outcomes = replay(replayCase, trace);
            summary.add(replayCase, outcomes);
            print(replayCase, outcomes);
            outcomes.forEach((policy, outcome) -> record(replayCase.key() + "/" + policy + "/", outcome));
        }
    }

    /** The cells of the reference on this trace; without any, two tiers, whole files and, where sizes differ, blocks. */
    private List<ReplayCase> cells(Trace trace) {
        List<ReplayCase> cells = new ArrayList<>();
        if (reference != null) {
            reference.cells().forEach(replayCase -> {
                if (replayCase.file().equals(trace.name())) {
                    cells.add(replayCase);
                }
            });
        }
        if (cells.isEmpty()) {
            double[] wanted = shares.isEmpty()
                    ? SHARES
                    : shares.stream().mapToDouble(Double::doubleValue).toArray();
            boolean equal = trace.footprintBytes() == trace.size(0) * trace.objects();
            Arrays.stream(wanted)
                    .forEach(share -> cells.add(new ReplayCase(trace.name() + (equal ? "" : ".file"), 2, share)));
            if (!equal) {
                Arrays.stream(wanted).forEach(share -> cells.add(new ReplayCase(trace.name() + ".block", 2, share)));
            }
        }
        cells.removeIf(replayCase -> !shares.isEmpty() && !shares.contains(replayCase.memory()));
        return cells;
    }

    private Map<String, ReplayResult> replay(ReplayCase replayCase, Trace trace) {
        TierHierarchy hierarchy = replayCase.hierarchy(trace.readFootprintBytes());
        Map<String, ReplayResult> outcomes = new LinkedHashMap<>();
        try (ProgressBar bar = progress(replayCase, (long) trace.rows() * contestants.size())) {
            long done = 0;
            for (PolicyVariant policyVariant : contestants) {
                long before = done;
                outcomes.put(
                        policyVariant.label(),
                        TraceReplay.replay(
                                trace,
                                hierarchy,
                                replayCase.replayConditions(),
                                make(policyVariant, trace, hierarchy),
                                System::nanoTime,
                                rows -> {
                                    if (bar != null) {
                                        bar.stepTo(before + rows);
                                    }
                                }));
                done += trace.rows();
            }
        }
        return outcomes;
    }

    private PlacementPolicy make(PolicyVariant policyVariant, Trace trace, TierHierarchy hierarchy) {
        PlacementPolicy policy = policyVariant.make(hierarchy);
        return ahead && policyVariant.policy().equals(PolicyVariant.OURS)
                ? FirstReadReplays.ahead(policy, trace, hierarchy)
                : policy;
    }

    private static @Nullable ProgressBar progress(ReplayCase replayCase, long rows) {
        return System.console() == null
                ? null
                : new ProgressBarBuilder()
                        .setTaskName(replayCase.key())
                        .setInitialMax(rows)
                        .clearDisplayOnFinish()
                        .build();
    }

    private void print(ReplayCase replayCase, Map<String, ReplayResult> outcomes) {
        out.printf(
                "%n%s, %d tiers, memory %.4g of the footprint%n",
                replayCase.trace(), replayCase.tiers(), replayCase.memory());
        out.printf(
                "  %-20s %8s %8s %8s %10s %12s %8s%n",
                "policy", "objects", "bytes", "jobs", "moved/read", "mean ms", "ns");
        outcomes.forEach((policy, outcome) -> out.printf(
                "  %-20s %8.4f %8.4f %8.4f %10.4f %12.4f %8.0f%n",
                policy,
                outcome.objectHitRatio(),
                outcome.byteHitRatio(),
                outcome.jobHitRatio(),
                outcome.promotedPerReadByte(),
                outcome.meanReadMs(),
                outcome.decisionNs()));
        if (reference != null && reference.lru(replayCase) != null) {
            out.printf(
                    "  %-20s %8.4f %8.4f %8s %10s %12.4f%n",
                    "(best reference)",
                    reference.best(replayCase, Metric.OBJECT_HIT),
                    reference.best(replayCase, Metric.BYTE_HIT),
                    "",
                    "",
                    reference.best(replayCase, Metric.MEAN_MS));
            ReferenceResults.Figures bound = reference.bound(replayCase);
            if (bound != null) {
                out.printf("  %-20s %8.4f %8.4f%n", "(upper bound)", bound.objectHit(), bound.byteHit());
            }
        }
        out.flush();
    }

    private void record(String key, ReplayResult outcome) {
        figures.put(key + "object_hit", outcome.objectHitRatio());
        figures.put(key + "byte_hit", outcome.byteHitRatio());
        figures.put(key + "job_all_hit", outcome.jobHitRatio());
        figures.put(key + "promoted_per_read_byte", outcome.promotedPerReadByte());
        figures.put(key + "wasted_moves", outcome.wastedMoves());
        figures.put(key + "mean_ms", outcome.meanReadMs());
    }
}
