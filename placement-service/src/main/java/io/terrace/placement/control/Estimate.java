package io.terrace.placement.control;

import org.jspecify.annotations.Nullable;

/**
 * A mean with the interval that it is in with 95 %.
 *
 * <p>Means are ratio estimates over clusters (Cochran, Sampling Techniques, 1977, chapter 6): reads of one block, or of one
 * heartbeat, are alike, so not they but the blocks or heartbeats are what varies independently. Intervals are those of
 * Student's t; of the quotient of two means, over the logarithm.
 */
public record Estimate(double mean, double low, double high) {

    /** Below this number of clusters nothing is said. */
    static final int LEAST_CLUSTERS = 5;

    private static final double Z_975 = 1.959964;

    /** Sums over clusters of a denominator (reads, bytes) and a numerator (time). */
    static final class Sums {
        private double clusters;
        private double sumX;
        private double sumY;
        private double sumXx;
        private double sumXy;
        private double sumYy;

        void add(double x, double y) {
            clusters++;
            sumX += x;
            sumY += y;
            sumXx += x * x;
            sumXy += x * y;
            sumYy += y * y;
        }

        /** What was added before counts half. */
        void halve() {
            clusters /= 2;
            sumX /= 2;
            sumY /= 2;
            sumXx /= 2;
            sumXy /= 2;
            sumYy /= 2;
        }

        /** Of the numerator for each one of the denominator. */
        private double mean() {
            return sumY / sumX;
        }

        private boolean tells() {
            return clusters >= LEAST_CLUSTERS && sumX > 0 && sumY > 0;
        }

        private double variance() {
            double mean = mean();
            double squares = sumYy - 2 * mean * sumXy + mean * mean * sumXx;
            return Math.max(0, squares) / (sumX * sumX) * clusters / (clusters - 1);
        }

        /** The mean, or null where there are too few clusters. */
        @Nullable
        Estimate estimate() {
            if (!tells()) {
                return null;
            }
            double reach = studentT(clusters - 1) * Math.sqrt(variance());
            return new Estimate(mean(), Math.max(0, mean() - reach), mean() + reach);
        }
    }

    /** How many times the first mean is the second one; null where either has too few clusters. */
    static @Nullable Estimate quotient(Sums first, Sums second) {
        if (!first.tells() || !second.tells()) {
            return null;
        }
        double quotient = first.mean() / second.mean();
        double ofLog =
                first.variance() / (first.mean() * first.mean()) + second.variance() / (second.mean() * second.mean());
        double factor = Math.exp(studentT(Math.min(first.clusters, second.clusters) - 1) * Math.sqrt(ofLog));
        return new Estimate(quotient, quotient / factor, quotient * factor);
    }

    /** Two-sided 95 % quantile of Student's t (Abramowitz and Stegun 26.7.5): within 0.03 for 4 degrees of freedom and more. */
    static double studentT(double degrees) {
        double z = Z_975;
        double z3 = z * z * z;
        double z5 = z3 * z * z;
        double z7 = z5 * z * z;
        return z
                + (z3 + z) / (4 * degrees)
                + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees)
                + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees * degrees * degrees);
    }
}
