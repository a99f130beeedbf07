package io.terrace.bench.policy;

import io.terrace.bench.policy.ReferenceResults.Figures;
import io.terrace.bench.policy.ReferenceResults.Metric;
import io.terrace.policy.replay.ReplayResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scores of the adaptive policy. <i>Regret</i> of a cell is the best reference in that cell less ours;
 * <i>closes</i> is (ours − LRU) / (bound − LRU). Cells where bound − LRU is below {@value #LEAST_GAP} say nothing and
 * are left out. By jobs, cells count whose files have several blocks, and the gain over the default objective is told too.
 */
final class RegretSummary {

    static final double LEAST_GAP = 0.005;

    private final @Nullable ReferenceResults reference;
    private final Mean objectRegret = new Mean();
    private final Mean objectCloses = new Mean();
    private final Mean byteRegret = new Mean();
    private final Mean byteCloses = new Mean();
    private final Mean jobRegret = new Mean();
    private final Mean jobGain = new Mean();
    private final Mean moved = new Mean();
    private final Mean lagRegret = new Mean();
    private final Mean fourTiers = new Mean();

    RegretSummary(@Nullable ReferenceResults reference) {
        this.reference = reference;
    }

    /** Adds one cell: the results by policy variant. */
    void add(ReplayCase replayCase, Map<String, ReplayResult> outcomes) {
        ReplayResult ours = outcomes.get(PolicyVariant.OURS);
        if (ours == null) {
            return;
        }
        if (reference == null) {
            addMoved(replayCase, ours, outcomes.get(PolicyVariant.LRU));
            return;
        }
        if (replayCase.lagged()) {
            lagRegret.add(reference.best(replayCase, Metric.OBJECT_HIT) - ours.objectHitRatio());
        } else if (replayCase.tiers() == 4) {
            fourTiers.add(ours.meanReadMs() / reference.best(replayCase, Metric.MEAN_MS));
        } else {
            addPlain(replayCase, outcomes, ours, reference);
            addJobs(replayCase, ours, outcomes.get(PolicyVariant.OURS_JOBS), reference);
        }
    }

    private void addJobs(
            ReplayCase replayCase, ReplayResult ours, @Nullable ReplayResult oursByJobs, ReferenceResults from) {
        if (oursByJobs != null && replayCase.inBlocks()) {
            jobRegret.add(from.best(replayCase, Metric.JOB_HIT) - oursByJobs.jobHitRatio());
            jobGain.add(oursByJobs.jobHitRatio() - ours.jobHitRatio());
        }
    }

    private void addPlain(
            ReplayCase replayCase, Map<String, ReplayResult> outcomes, ReplayResult ours, ReferenceResults from) {
        Figures lru = from.lru(replayCase);
        Figures bound = from.bound(replayCase);
        if (lru == null || bound == null) {
            addMoved(replayCase, ours, outcomes.get(PolicyVariant.LRU));
            return;
        }
        double objectGap = bound.objectHit() - lru.objectHit();
        if (objectGap >= LEAST_GAP) {
            objectRegret.add(from.best(replayCase, Metric.OBJECT_HIT) - ours.objectHitRatio());
            objectCloses.add((ours.objectHitRatio() - lru.objectHit()) / objectGap);
            addMoved(replayCase, ours, outcomes.get(PolicyVariant.LRU));
        }
        ReplayResult oursByBytes = outcomes.get(PolicyVariant.OURS_BYTES);
        double byteGap = bound.byteHit() - lru.byteHit();
        if (oursByBytes != null && byteGap >= LEAST_GAP) {
            byteRegret.add(from.best(replayCase, Metric.BYTE_HIT) - oursByBytes.byteHitRatio());
            byteCloses.add((oursByBytes.byteHitRatio() - lru.byteHit()) / byteGap);
        }
    }

    private void addMoved(ReplayCase replayCase, ReplayResult ours, @Nullable ReplayResult lru) {
        if (replayCase.plain() && lru != null && lru.promotedBytes() > 0) {
            moved.add(ours.promotedPerReadByte() / lru.promotedPerReadByte());
        }
    }

    /** The figures that could be computed, by name. */
    Map<String, Number> figures() {
        Map<String, Number> figures = new LinkedHashMap<>();
        objectRegret.put(figures, "object.regret.mean", "object.regret.max");
        objectCloses.put(figures, "object.closes", null);
        byteRegret.put(figures, "byte.regret.mean", "byte.regret.max");
        byteCloses.put(figures, "byte.closes", null);
        jobRegret.put(figures, "jobs.regret.mean", "jobs.regret.max");
        jobGain.put(figures, "jobs.gain.mean", null);
        moved.put(figures, "moved.vs_lru.mean", "moved.vs_lru.max");
        lagRegret.put(figures, "lag60.object.regret.mean", "lag60.object.regret.max");
        fourTiers.put(figures, "4t.mean_ms.vs_best.mean", "4t.mean_ms.vs_best.max");
        return figures;
    }

    private static final class Mean {
        private double sum;
        private double most = Double.NEGATIVE_INFINITY;
        private int count;

        void add(double value) {
            sum += value;
            most = Math.max(most, value);
            count++;
        }

        void put(Map<String, Number> figures, String mean, @Nullable String max) {
            if (count > 0) {
                figures.put(mean, sum / count);
                if (max != null) {
                    figures.put(max, most);
                }
            }
        }
    }
}
