package io.terrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PairedRatiosTest {
    @Test
    void median_ofPairs_isStockOverOurs() {
        PairedRatios ratios = new PairedRatios(new double[] {10, 20, 90}, new double[] {5, 5, 10});

        assertThat(ratios.median()).isEqualTo(4);
    }

    @Test
    void bounds_ofTwentyRounds_areTheSixthFromEitherEnd() {
        // P(X <= 5) = 0.0207 and P(X <= 6) = 0.0577 for Binomial(20, 1/2).
        double[] stock = new double[20];
        double[] ours = new double[20];
        for (int i = 0; i < 20; i++) {
            stock[i] = 20 - i;
            ours[i] = 1;
        }

        assertThat(new PairedRatios(stock, ours).lowerBound()).isEqualTo(6);
        assertThat(new PairedRatios(stock, ours).upperBound()).isEqualTo(15);
    }

    @Test
    void bounds_ofTooFewRounds_promiseNothing() {
        double[] ones = {1, 1, 1, 1};

        assertThat(new PairedRatios(ones, ones).isBounded()).isFalse();
        assertThat(new PairedRatios(ones, ones).lowerBound()).isZero();
        assertThat(new PairedRatios(ones, ones).upperBound()).isInfinite();
    }

    @Test
    void lowerBound_overManyRuns_liesBelowTheTrueMedianAsOftenAsPromised() {
        SplittableRandom random = new SplittableRandom(17);
        int below = 0;
        int runs = 2_000;
        for (int run = 0; run < runs; run++) {
            double[] stock = new double[31];
            double[] ours = new double[31];
            Arrays.setAll(stock, i -> Math.exp(random.nextGaussian()));
            Arrays.fill(ours, 1);
            below += new PairedRatios(stock, ours).lowerBound() <= 1 ? 1 : 0;
        }

        // 95 % or a little more, since an order statistic cannot hit it exactly (seed 17).
        assertThat(below / (double) runs).isCloseTo(0.97, within(0.025));
    }

    @Test
    void of_unequalRounds_isRefused() {
        assertThatThrownBy(() -> new PairedRatios(new double[2], new double[3]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
