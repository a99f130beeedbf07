package io.terrace.policy.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportsTest {

    private final List<String> told = new ArrayList<>();
    private final Reports reports = new Reports(250, 10);

    private void tell() {
        reports.tell((object, reads, bytes) -> told.add(object + "x" + reads + "," + bytes));
    }

    @Test
    void tell_severalReads_asOnePerObject() {
        reports.add(100, 0, 10);
        reports.add(110, 1, 10);
        reports.add(240, 0, 5);
        assertThat(reports.dueMs()).isEqualTo(250);
        tell();
        assertThat(told).containsExactly("0x2,15", "1x1,10");
    }

    @Test
    void dueMs_afterALongPause_isTheEndOfThePeriodOfTheNextRead() {
        reports.add(100, 0, 10);
        tell();
        assertThat(reports.dueMs()).isEqualTo(Long.MAX_VALUE);
        reports.add(3_600_250, 0, 10);
        assertThat(reports.dueMs()).isEqualTo(3_600_500);
        tell();
        assertThat(told).containsExactly("0x1,10", "0x1,10");
    }

    @Test
    void gathers_withoutAPeriod_isFalse() {
        assertThat(new Reports(0, 10).gathers()).isFalse();
        assertThat(new Reports(0, 10).dueMs()).isEqualTo(Long.MAX_VALUE);
    }
}
