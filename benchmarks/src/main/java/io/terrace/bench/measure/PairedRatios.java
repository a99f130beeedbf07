package io.terrace.bench.measure;

import java.util.Arrays;
import org.apache.commons.math3.distribution.BinomialDistribution;

/**
 * Ratios of two measurements that were made right after each other, round by round, so that what slows the machine for a
 * while slows both.
 *
 * <p>The bounds, each for itself, are order statistics of the sign test, which assumes nothing about the distribution: of n
 * ratios the k-th smallest lies above the true median with probability P(X &lt; k) for X ~ Binomial(n, 1/2), and the k-th
 * largest as often below it (Conover, Practical Nonparametric Statistics, 3.2).
 */
public final class PairedRatios {
    private static final double ERROR = 0.05;

    private final double[] sorted;

    /**
     * @param baseline cost of stock in each round, in any unit
     * @param ours cost of Terrace in the same rounds and unit
     */
    public PairedRatios(double[] baseline, double[] ours) {
        if (baseline.length != ours.length || ours.length == 0) {
            throw new IllegalArgumentException(baseline.length + " and " + ours.length + " rounds are no pairs");
        }
        sorted = new double[ours.length];
        for (int i = 0; i < ours.length; i++) {
            sorted[i] = baseline[i] / ours[i];
        }
        Arrays.sort(sorted);
    }

    /** Over 1: Terrace costs less. */
    public double median() {
        return median(sorted);
    }

    /** The median ratio is at least this with 95 % confidence; with fewer than five rounds that is 0. */
    public double lowerBound() {
        int k = rank();
        return k == 0 ? 0 : sorted[k - 1];
    }

    /** The median ratio is at most this with 95 % confidence; with fewer than five rounds that is infinity. */
    public double upperBound() {
        int k = rank();
        return k == 0 ? Double.POSITIVE_INFINITY : sorted[sorted.length - k];
    }

    /** False when the rounds are too few to bound the median. */
    public boolean isBounded() {
        return rank() > 0;
    }

    /** The smallest of the rounds. */
    public double smallest() {
        return sorted[0];
    }

    /** The largest of the rounds. */
    public double largest() {
        return sorted[sorted.length - 1];
    }

    /** The index of the order statistic that is the bound, counted from 1; 0 when there are too few rounds for one. */
    private int rank() {
        BinomialDistribution signs = new BinomialDistribution(sorted.length, 0.5);
        int k = 0;
        while (k < sorted.length && signs.cumulativeProbability(k) <= ERROR) {
            k++;
        }
        return k;
    }

    /** The middle of the sorted values. */
    public static double median(double[] sorted) {
        int n = sorted.length;
        return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }

    /** The middle of values in any order. */
    public static double medianOf(double[] values) {
        double[] copy = values.clone();
        Arrays.sort(copy);
        return median(copy);
    }
}
