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
 * How the adaptive policy does on validation workloads, to which no constant was fitted: for each trace and memory share its object hits against the best
 * of all other policies of the catalog <i>in that cell</i>, and likewise its byte hits with the byte objective. The
 * regret is the best less ours. What is ours with another objective is not one of the others.
 */
final class HeldOut {

    private static final double[] SHARES = {0.02, 0.1, 0.3};

    private final String name;
    private final List<PolicyVariant> contestants;
    private final PrintWriter out;
    private final Map<String, Number> figures = new LinkedHashMap<>();
    private double sum;
    private double sumBytes;
    private double most = Double.NEGATIVE_INFINITY;
    private double mostBytes = Double.NEGATIVE_INFINITY;
    private int cells;

    /** @param name of the sums */
    HeldOut(String name, List<PolicyVariant> contestants, PrintWriter out) {
        this.name = name;
        this.contestants = contestants;
        this.out = out;
    }

    void header() {
        out.printf(
                "%-34s %6s  %8s %8s %8s %-16s  %8s %8s %8s %-16s%n",
                "trace", "memory", "objects", "best", "regret", "", "bytes", "best", "regret", "");
    }

    void replay(Trace trace) {
        for (double share : SHARES) {
            replay(new ReplayCase(trace.name(), 2, share), trace, ReplayConditions.INSTANT);
        }
    }

    private void replay(ReplayCase replayCase, Trace trace, ReplayConditions replayConditions) {
        TierHierarchy hierarchy = replayCase.hierarchy(trace.readFootprintBytes());
        double ours = 0;
        double oursBytes = 0;
        Best objects = new Best();
        Best bytes = new Best();
        for (PolicyVariant policyVariant : contestants) {
            ReplayResult outcome =
                    TraceReplay.replay(trace, hierarchy, replayConditions, policyVariant.make(hierarchy));
            if (policyVariant.label().equals(PolicyVariant.OURS)) {
                ours = outcome.objectHitRatio();
            } else if (policyVariant.label().equals(PolicyVariant.OURS_BYTES)) {
                oursBytes = outcome.byteHitRatio();
            } else if (!policyVariant.policy().equals(PolicyVariant.OURS)) {
                objects.offer(policyVariant.label(), outcome.objectHitRatio());
                bytes.offer(policyVariant.label(), outcome.byteHitRatio());
            }
        }
        out.printf(
                "%-34s %6.2f  %8.4f %8.4f %8.4f %-16s  %8.4f %8.4f %8.4f %-16s%n",
                replayCase.trace(),
                replayCase.memory(),
                ours,
                objects.most,
                objects.most - ours,
                objects.label,
                oursBytes,
                bytes.most,
                bytes.most - oursBytes,
                bytes.label);
        out.flush();
        figures.put(replayCase.key() + "/regret", objects.most - ours);
        figures.put(replayCase.key() + "/byte.regret", bytes.most - oursBytes);
        sum += objects.most - ours;
        sumBytes += bytes.most - oursBytes;
        most = Math.max(most, objects.most - ours);
        mostBytes = Math.max(mostBytes, bytes.most - oursBytes);
        cells++;
    }

    /** Mean and worst regret, then each cell's. */
    Map<String, Number> figures() {
        Map<String, Number> all = new LinkedHashMap<>();
        all.put(name + ".regret.mean", sum / cells);
        all.put(name + ".regret.max", most);
        all.put(name + ".byte.regret.mean", sumBytes / cells);
        all.put(name + ".byte.regret.max", mostBytes);
        all.putAll(figures);
        return all;
    }

    private static final class Best {
        private String label = "";
        private double most = Double.NEGATIVE_INFINITY;

        void offer(String policy, double value) {
            if (value > most) {
                label = policy;
                most = value;
            }
        }
    }
}
