package io.terrace.bench.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The cost of one figure for each variant, round by round. */
public final class RoundCosts {
    private final Map<String, List<Double>> costs = new LinkedHashMap<>();

    public void add(ClientVariant variant, double cost) {
        costs.computeIfAbsent(variant.name(), name -> new ArrayList<>()).add(cost);
    }

    /** Notes the median of each variant, as it is or as a rate: so much of something for one of the cost. */
    public void note(ResultSheet scores, String id, double ratePerCost, String unit) {
        costs.forEach((variant, all) -> {
            double median = new PairedRatios(of(variant), ones(all.size())).median();
            scores.note(id + "." + variant, ratePerCost == 0 ? median : ratePerCost / median, unit);
        });
    }

    /** Over 1: {@code ours} costs less than {@code baseline}; the median over the rounds. */
    public double ratio(String baseline, String ours) {
        return new PairedRatios(of(baseline), of(ours)).median();
    }

    private double[] of(String variant) {
        return costs.getOrDefault(variant, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    private static double[] ones(int count) {
        double[] ones = new double[count];
        Arrays.fill(ones, 1);
        return ones;
    }
}
