package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReuseModelTest {

    private final ReuseModel model = new ReuseModel(1_000_000, 0.03);
    private final int node = ReuseModel.classOf(5, Log2.of(100_000), 4096);

    @Test
    void worth_fixedGap_risesUntilItIsDueAndFallsAfter() {
        for (int i = 0; i < 1000; i++) {
            model.start(node, 1);
            model.end(node, 100_000, 1);
        }
        assertThat(model.worth(node, 60_000)).isGreaterThan(model.worth(node, 1000));
        assertThat(model.worth(node, 90_000)).isGreaterThan(model.worth(node, 60_000));
        assertThat(model.worth(node, 1_000_000)).isLessThan(model.worth(node, 1000));
        assertThat(model.returnChance(node)).isGreaterThan(0.9);
    }

    @Test
    void worth_exponentialGaps_hardlyDependsOnAge() {
        double state = 0.5;
        for (int i = 0; i < 100_000; i++) {
            state = (state * 9301 + 0.49297) % 1;
            model.start(node, 1);
            model.end(node, (long) (-Math.log(1 - state) * 100_000), 1);
        }
        assertThat(model.worth(node, 100_000)).isBetween(model.worth(node, 5000) - 0.5, model.worth(node, 5000) + 0.5);
        assertThat(Math.pow(2, model.worth(node, 5000))).as("one hit per 100 s").isBetween(0.7e-5, 1.5e-5);
    }

    @Test
    void returnChance_evidenceHalvedBeforeTheReturns_isAChance() {
        ReuseModel halved = new ReuseModel(1000, 0.03);
        for (int i = 0; i < 990; i++) {
            halved.start(node, 1);
        }
        for (int i = 0; i < 10; i++) {
            halved.start(ReuseModel.classOf(1, 0, 4096), 1);
        }
        for (int i = 0; i < 990; i++) {
            halved.end(node, 1000, 1);
        }
        assertThat(halved.returnChance(node)).isBetween(0.9, 1.0);
        assertThat(halved.worth(node, 0)).as("log2 of a hit a second").isLessThan(Log2.of(1 / 500.0));
    }

    @Test
    void admission_neverReturning_doesNotPayForTheMove() {
        for (int i = 0; i < 10_000; i++) {
            model.start(node, 1);
        }
        assertThat(model.admission(node)).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(model.returnChance(node)).isLessThan(0.01);
    }

    @Test
    void admission_quickReturnsAndSlowMoves_paysForObjectsThatKeepComingBack() {
        for (int i = 0; i < 10_000; i++) {
            model.start(node, 1);
            if (i % 20 > 0) {
                model.end(node, 1000, 1);
            }
        }
        double atOnce = model.admission(node);
        model.moved(5000);
        assertThat(model.admission(node))
                .as("19 of 20 return within a second; five such returns are lost")
                .isBetween(atOnce - 1, atOnce - 0.1);
    }

    @Test
    void admission_oneQuickReturnAndSlowMoves_isRefused() {
        for (int i = 0; i < 10_000; i++) {
            model.start(node, 1);
            if (i % 2 > 0) {
                model.end(node, 1000, 1);
            }
        }
        assertThat(model.admission(node)).isGreaterThan(Double.NEGATIVE_INFINITY);
        model.moved(60_000);
        assertThat(model.admission(node)).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @Test
    void classOf_anything_isInRange() {
        for (int reads : new int[] {1, 2, 3, 5, 9, 21, 65_535}) {
            for (long size : new long[] {0, 1, 1L << 50}) {
                assertThat(ReuseModel.classOf(reads, 41, size)).isBetween(reads == 1 ? 2 : 112, reads == 1 ? 45 : 331);
            }
        }
    }

    @Test
    void log2_inverse_isExactBothWays() {
        for (long x : new long[] {1, 2, 3, 1000, 123_456_789_012L}) {
            assertThat(Log2.inverse(Log2.of(x))).isCloseTo(x, org.assertj.core.data.Percentage.withPercentage(1e-9));
            assertThat(Log2.of((double) x)).isCloseTo(Log2.of(x), org.assertj.core.data.Offset.offset(1e-12));
        }
    }

    @Test
    void memory_growsWithTheClassesThatAreRead_andNoFurther() {
        long idle = model.memoryBytes();
        assertThat(idle).isLessThan(16 << 10);
        int node = ReuseModel.classOf(1, 0, 1 << 20);
        for (int i = 0; i < 1000; i++) {
            model.start(node, 1);
            model.end(node, 1000 + i, 1);
            double unused = model.worth(node, 500);
        }
        assertThat(model.memoryBytes() - idle)
                .as("counts and their sum of the class, of those read once and of all, and one index")
                .isEqualTo(165 * 3 * 8 + 164 * 4);
    }
}
