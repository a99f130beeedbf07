package io.terrace.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one figure cost each arm, round by round. */
public final class RoundCosts {
    private final Map<String, List<Double>> costs = new LinkedHashMap<>();

    public void add(Arm arm, double cost) {
        costs.computeIfAbsent(arm.name(), name -> new ArrayList<>()).add(cost);
    }

    /** Notes the median of each arm, as it is or as a rate: so much of something for one of the cost. */
    public void note(ResultSheet scores, String id, double ratePerCost, String unit) {
        costs.forEach((arm, all) -> {
            double median = new PairedRatios(of(arm), ones(all.size())).median();
            scores.note(id + "." + arm, ratePerCost == 0 ? median : ratePerCost / median, unit);
        });
    }

    /** Over 1: {@code ours} costs less than {@code baseline}; the median over the rounds. */
    public double ratio(String baseline, String ours) {
        return new PairedRatios(of(baseline), of(ours)).median();
    }

    private double[] of(String arm) {
        return costs.getOrDefault(arm, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private static double[] ones(int count) {
        double[] ones = new double[count];
        Arrays.fill(ones, 1);
        return ones;
    }
}
