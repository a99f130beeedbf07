package io.terrace.placement.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.placement.control.Estimate.Sums;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EstimateTest {

    /** Blocks with a mean time of their own, each read a number of times of its own. */
    private static Sums blocks(Random random, int count, double meanNs) {
        Sums sums = new Sums();
        for (int i = 0; i < count; i++) {
            double ofBlock = meanNs * (0.5 + random.nextDouble());
            int reads = 1 + random.nextInt(20);
            double total = 0;
            for (int j = 0; j < reads; j++) {
                total += ofBlock * (0.8 + 0.4 * random.nextDouble());
            }
            sums.add(reads, total);
        }
        return sums;
    }

    @Test
    void studentT_isThatOfTheTables() {
        assertThat(Estimate.studentT(4)).isCloseTo(2.776, within(0.03));
        assertThat(Estimate.studentT(10)).isCloseTo(2.228, within(0.002));
        assertThat(Estimate.studentT(30)).isCloseTo(2.042, within(0.001));
        assertThat(Estimate.studentT(1e9)).isCloseTo(1.96, within(0.001));
    }

    @Test
    void interval_ofTwoValuesThatAlternate_isWorkedOutByHand() {
        Sums sums = new Sums();
        for (int i = 0; i < 10; i++) {
            sums.add(1, i % 2 == 0 ? 90 : 110);
        }
        // A standard deviation of 10.541 over the root of ten, times 2.262.
        Estimate estimate = sums.estimate();
        assertThat(estimate.mean()).isCloseTo(100, within(1e-9));
        assertThat(estimate.high() - 100).isCloseTo(7.54, within(0.02));
        assertThat(100 - estimate.low()).isCloseTo(7.54, within(0.02));
    }

    @Test
    void intervals_holdTheTruthAboutAsOftenAsTheySay_thoughReadsOfABlockAreAlike() {
        Random random = new Random(19);
        int mean = 0;
        int quotient = 0;
        int runs = 2_000;
        for (int i = 0; i < runs; i++) {
            Sums slow = blocks(random, 25, 300);
            Sums fast = blocks(random, 25, 100);
            Estimate ofSlow = slow.estimate();
            mean += ofSlow.low() <= 300 && 300 <= ofSlow.high() ? 1 : 0;
            Estimate times = Estimate.quotient(slow, fast);
            quotient += times.low() <= 3 && 3 <= times.high() ? 1 : 0;
        }
        assertThat((double) mean / runs).isBetween(0.92, 0.98);
        assertThat((double) quotient / runs).isBetween(0.92, 0.98);
    }

    @Test
    void tooFewClusters_sayNothing() {
        Sums few = blocks(new Random(1), Estimate.LEAST_CLUSTERS - 1, 100);
        assertThat(few.estimate()).isNull();
        assertThat(Estimate.quotient(few, blocks(new Random(1), 50, 100))).isNull();
        assertThat(Estimate.quotient(blocks(new Random(1), 50, 100), few)).isNull();
    }

    @Test
    void halved_theMeanStays_andTheIntervalIsWider() {
        Sums sums = blocks(new Random(2), 40, 100);
        Estimate before = sums.estimate();
        sums.halve();
        assertThat(sums.estimate().mean()).isCloseTo(before.mean(), within(1e-6));
        assertThat(sums.estimate().high()).isGreaterThan(before.high());
    }
}
