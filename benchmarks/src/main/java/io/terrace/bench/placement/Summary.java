package io.terrace.bench.placement;

import io.terrace.bench.placement.Reference.Figures;
import io.terrace.bench.placement.Reference.Metric;
import io.terrace.policy.sim.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scores of the adaptive policy. <i>Regret</i> of a cell is the best reference in that cell less ours;
 * <i>closes</i> is (ours − LRU) / (bound − LRU). Cells where bound − LRU is below {@value #LEAST_GAP} say nothing and
 * are left out.
 */
final class Summary {

    static final double LEAST_GAP = 0.005;

    private final @Nullable Reference reference;
    private final Mean objectRegret = new Mean();
    private final Mean objectCloses = new Mean();
    private final Mean byteRegret = new Mean();
    private final Mean byteCloses = new Mean();
    private final Mean moved = new Mean();
    private final Mean lagRegret = new Mean();
    private final Mean fourTiers = new Mean();

    Summary(@Nullable Reference reference) {
        this.reference = reference;
    }

    /** Takes in one cell: outcomes by contestant. */
    void add(Cell cell, Map<String, Outcome> outcomes) {
        Outcome ours = outcomes.get(Contestant.OURS);
        if (ours == null) {
            return;
        }
        if (reference == null) {
            addMoved(cell, ours, outcomes.get(Contestant.LRU));
            return;
        }
        if (cell.lagged()) {
            lagRegret.add(reference.best(cell, Metric.OBJECT_HIT) - ours.objectHitRatio());
        } else if (cell.tiers() == 4) {
            fourTiers.add(ours.meanReadMs() / reference.best(cell, Metric.MEAN_MS));
        } else {
            addPlain(cell, outcomes, ours, reference);
        }
    }

    private void addPlain(Cell cell, Map<String, Outcome> outcomes, Outcome ours, Reference from) {
        Figures lru = from.lru(cell);
        Figures bound = from.bound(cell);
        if (lru == null || bound == null) {
            addMoved(cell, ours, outcomes.get(Contestant.LRU));
            return;
        }
        double objectGap = bound.objectHit() - lru.objectHit();
        if (objectGap >= LEAST_GAP) {
            objectRegret.add(from.best(cell, Metric.OBJECT_HIT) - ours.objectHitRatio());
            objectCloses.add((ours.objectHitRatio() - lru.objectHit()) / objectGap);
            addMoved(cell, ours, outcomes.get(Contestant.LRU));
        }
        Outcome oursByBytes = outcomes.get(Contestant.OURS_BYTES);
        double byteGap = bound.byteHit() - lru.byteHit();
        if (oursByBytes != null && byteGap >= LEAST_GAP) {
            byteRegret.add(from.best(cell, Metric.BYTE_HIT) - oursByBytes.byteHitRatio());
            byteCloses.add((oursByBytes.byteHitRatio() - lru.byteHit()) / byteGap);
        }
    }

    private void addMoved(Cell cell, Outcome ours, @Nullable Outcome lru) {
        if (cell.plain() && lru != null && lru.promotedBytes() > 0) {
            moved.add(ours.promotedPerReadByte() / lru.promotedPerReadByte());
        }
    }

    /** The figures there is evidence for, by name. */
    Map<String, Number> figures() {
        Map<String, Number> figures = new LinkedHashMap<>();
        objectRegret.put(figures, "object.regret.mean", "object.regret.max");
        objectCloses.put(figures, "object.closes", null);
        byteRegret.put(figures, "byte.regret.mean", "byte.regret.max");
        byteCloses.put(figures, "byte.closes", null);
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
