package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryYieldTest {

    private static final long HOUR_MS = 3_600_000;

    private final MemoryYield memoryYield = new MemoryYield();

    @Test
    void justifies_nothingServed_anything() {
        assertThat(memoryYield.justifies(0)).isTrue();
        memoryYield.passed(0, 100);
        memoryYield.passed(1_000, 100);
        assertThat(memoryYield.justifies(0)).isTrue();
    }

    @Test
    void justifies_aQuarterOfTheAverage_orMore() {
        memoryYield.passed(0, 100);
        memoryYield.passed(1_000, 100);
        memoryYield.served(20);
        double average = 20 / (100.0 * 1_000);
        assertThat(memoryYield.justifies(0.26 * average)).isTrue();
        assertThat(memoryYield.justifies(0.24 * average)).isFalse();
    }

    @Test
    void justifies_lateHours_countMost() {
        memoryYield.passed(0, 100);
        memoryYield.served(1e9);
        double late = 0;
        for (long ms = HOUR_MS; ms <= 60 * HOUR_MS; ms += HOUR_MS) {
            memoryYield.passed(ms, 100);
            memoryYield.served(1_000);
            late = 1_000 / (100.0 * HOUR_MS);
        }
        assertThat(memoryYield.justifies(0.5 * late)).isTrue();
    }

    @Test
    void passed_clockGoesBack_noTimePassed() {
        memoryYield.passed(10_000, 100);
        memoryYield.served(20);
        memoryYield.passed(5_000, 100);
        memoryYield.passed(11_000, 100);
        assertThat(memoryYield.justifies(0.26 * 20 / 100_000)).isTrue();
        assertThat(memoryYield.justifies(0.24 * 20 / 100_000)).isFalse();
    }
}
