package io.terrace.bench.load;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Draws ranks so that rank k, counted from 0, comes up in proportion to 1/(k+1)^skew. */
public final class Zipf {
    private final double[] cumulative;

    public Zipf(int ranks, double skew) {
        if (ranks < 1) {
            throw new IllegalArgumentException("Zipf needs at least one rank, not " + ranks);
        }
        if (!(skew >= 0 && skew <= 10)) {
            throw new IllegalArgumentException("skew must be 0 to 10, not " + skew);
        }
        cumulative = new double[ranks];
        double sum = 0;
        for (int i = 0; i < ranks; i++) {
            sum += Math.pow(i + 1, -skew);
            cumulative[i] = sum;
        }
    }

    /** A rank from 0 to {@code ranks - 1}. */
    public int draw(RandomGenerator random) {
        double u = random.nextDouble() * cumulative[cumulative.length - 1];
        int at = Arrays.binarySearch(cumulative, u);
        // An exact hit belongs to the next rank, since rank k covers [cumulative(k-1), cumulative(k)).
        return Math.min(at < 0 ? -at - 1 : at + 1, cumulative.length - 1);
    }

    /** Share of the draws that fall on the first {@code count} ranks: what a perfect cache of that size would hit. */
    public double share(int count) {
        return count <= 0 ? 0 : cumulative[Math.min(count, cumulative.length) - 1] / cumulative[cumulative.length - 1];
    }
}
