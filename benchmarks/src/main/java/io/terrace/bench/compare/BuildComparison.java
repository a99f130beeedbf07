package io.terrace.bench.compare;

import io.terrace.bench.compare.ComparedFigure.Verdict;
import io.terrace.bench.measure.PairedRatios;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The figures of another build and of this one, in rounds. A figure is compared within each round, whose runs came right
 * after each other.
 */
public final class BuildComparison {
    private final List<Round> rounds = new ArrayList<>();

    private record Round(Map<String, Double> old, Map<String, Double> own) {
        Round {
            old = Collections.unmodifiableMap(new LinkedHashMap<>(old));
            own = Collections.unmodifiableMap(new LinkedHashMap<>(own));
        }
    }

    /** Adds what both builds measured in one round, figure to number. */
    public void add(Map<String, Double> old, Map<String, Double> own) {
        rounds.add(new Round(old, own));
    }

    public int rounds() {
        return rounds.size();
    }

    /** Figures that the other build has and this one lacks in at least one round. */
    public Set<String> missing() {
        Set<String> missing = new LinkedHashSet<>();
        for (Round round : rounds) {
            Set<String> lacking = new LinkedHashSet<>(round.old().keySet());
            lacking.removeAll(round.own().keySet());
            missing.addAll(lacking);
        }
        return missing;
    }

    /**
     * Compares all figures that both builds measured in one round at least, in the order of the runs.
     *
     * @param least wanted ratio of this build to the other
     */
    public List<ComparedFigure> figures(double least) {
        return ids().stream()
                .flatMap(id -> Optional.ofNullable(figure(id, least)).stream())
                .toList();
    }

    /**
     * Figures without a number in both builds in any round, though none is missing: times too short for their clock.
     */
    public Set<String> unmeasured() {
        Set<String> unmeasured = ids();
        unmeasured.removeAll(missing());
        unmeasured.removeIf(id -> figure(id, 1) != null);
        return unmeasured;
    }

    private Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        rounds.forEach(round -> ids.addAll(round.old().keySet()));
        return ids;
    }

    private @Nullable ComparedFigure figure(String id, double least) {
        boolean lessIsBetter = ComparedFigure.lessIsBetter(id);
        boolean byDifference = ComparedFigure.comparesByDifference(id);
        List<Double> old = new ArrayList<>();
        List<Double> own = new ArrayList<>();
        for (Round round : rounds) {
            double before = round.old().getOrDefault(id, Double.NaN);
            double after = round.own().getOrDefault(id, Double.NaN);
            if (isMeasured(before, lessIsBetter) && isMeasured(after, lessIsBetter)) {
                old.add(before);
                own.add(after);
            }
        }
        if (old.isEmpty()) {
            return null;
        }
        double[] before = array(old);
        double[] after = array(own);
        PairedRatios changes = byDifference ? differences(before, after) : ratios(before, after, lessIsBetter);
        boolean bounded = changes.isBounded();
        return new ComparedFigure(
                id,
                !ComparedFigure.isBaseline(id),
                byDifference,
                PairedRatios.medianOf(before),
                PairedRatios.medianOf(after),
                changes.median(),
                bounded,
                bounded ? changes.lowerBound() : changes.smallest(),
                bounded ? changes.upperBound() : changes.largest(),
                bounded ? verdict(changes, ComparedFigure.least(id, least)) : Verdict.OPEN);
    }

    /** A time of zero was too short for its clock; a ratio to such a time is infinite. */
    private static boolean isMeasured(double value, boolean lessIsBetter) {
        return Double.isFinite(value) && (value > 0 || !lessIsBetter);
    }

    private static PairedRatios ratios(double[] before, double[] after, boolean lessIsBetter) {
        double[] dividends = lessIsBetter ? before.clone() : after.clone();
        double[] divisors = lessIsBetter ? after.clone() : before.clone();
        for (int i = 0; i < dividends.length; i++) {
            if (dividends[i] == divisors[i]) {
                // Two zeros are equal too: some figures are 0 or 1.
                dividends[i] = 1;
                divisors[i] = 1;
            }
        }
        return new PairedRatios(dividends, divisors);
    }

    /** What this build's value is less than the other's. */
    private static PairedRatios differences(double[] before, double[] after) {
        double[] less = new double[before.length];
        double[] ones = new double[before.length];
        for (int i = 0; i < less.length; i++) {
            less[i] = before[i] - after[i];
            ones[i] = 1;
        }
        return new PairedRatios(less, ones);
    }

    private static Verdict verdict(PairedRatios changes, double least) {
        if (changes.upperBound() < least) {
            return Verdict.UNDER;
        }
        return changes.lowerBound() >= least ? Verdict.REACHED : Verdict.OPEN;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
