package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportIntervalEstimatorTest {

    private final ReportIntervalEstimator reportIntervalEstimator = new ReportIntervalEstimator();

    @Test
    void periodMs_noSums_isZero() {
        assertThat(reportIntervalEstimator.periodMs()).isZero();
    }

    @Test
    void periodMs_someObjectsReadAgainAfterLong_isThatOfTheOthers() {
        for (int i = 0; i < 1000; i++) {
            reportIntervalEstimator.toldTogether(i % 3 == 0 ? 9000 : 250);
        }
        assertThat(reportIntervalEstimator.periodMs()).isBetween(230.0, 300.0);
    }

    @Test
    void periodMs_reportsComeMoreRarelyThanBefore_follows() {
        for (int i = 0; i < 100; i++) {
            reportIntervalEstimator.toldTogether(250);
        }
        for (int i = 0; i < 200; i++) {
            reportIntervalEstimator.toldTogether(1000);
        }
        assertThat(reportIntervalEstimator.periodMs()).isBetween(900.0, 1000.0);
    }
}
