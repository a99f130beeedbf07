package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CadenceTest {

    private final Cadence cadence = new Cadence();

    @Test
    void periodMs_noSums_isZero() {
        assertThat(cadence.periodMs()).isZero();
    }

    @Test
    void periodMs_someObjectsReadAgainAfterLong_isThatOfTheOthers() {
        for (int i = 0; i < 1000; i++) {
            cadence.toldTogether(i % 3 == 0 ? 9000 : 250);
        }
        assertThat(cadence.periodMs()).isBetween(230.0, 300.0);
    }

    @Test
    void periodMs_reportsComeMoreRarelyThanBefore_follows() {
        for (int i = 0; i < 100; i++) {
            cadence.toldTogether(250);
        }
        for (int i = 0; i < 200; i++) {
            cadence.toldTogether(1000);
        }
        assertThat(cadence.periodMs()).isBetween(900.0, 1000.0);
    }
}
