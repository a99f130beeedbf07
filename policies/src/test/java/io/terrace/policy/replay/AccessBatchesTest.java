package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccessBatchesTest {

    private final List<String> told = new ArrayList<>();
    private final AccessBatches accessBatches = new AccessBatches(250, 10);

    private void tell() {
        accessBatches.tell((object, reads, bytes) -> told.add(object + "x" + reads + "," + bytes));
    }

    @Test
    void tell_severalReads_asOnePerObject() {
        accessBatches.add(100, 0, 10);
        accessBatches.add(110, 1, 10);
        accessBatches.add(240, 0, 5);
        assertThat(accessBatches.dueMs()).isEqualTo(250);
        tell();
        assertThat(told).containsExactly("0x2,15", "1x1,10");
    }

    @Test
    void dueMs_afterALongPause_isTheEndOfThePeriodOfTheNextRead() {
        accessBatches.add(100, 0, 10);
        tell();
        assertThat(accessBatches.dueMs()).isEqualTo(Long.MAX_VALUE);
        accessBatches.add(3_600_250, 0, 10);
        assertThat(accessBatches.dueMs()).isEqualTo(3_600_500);
        tell();
        assertThat(told).containsExactly("0x1,10", "0x1,10");
    }

    @Test
    void gathers_withoutAPeriod_isFalse() {
        assertThat(new AccessBatches(0, 10).gathers()).isFalse();
        assertThat(new AccessBatches(0, 10).dueMs()).isEqualTo(Long.MAX_VALUE);
    }
}
