package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StockFsckTest {

    @Test
    void timesAreLeftOut_andTheOtherLinesAreCompared() {
        List<String> before = StockFsck.withoutTimes(
                "FSCK started by me at noon\n/a 1 bytes\nStatus: HEALTHY\n" + "FSCK ended at noon in 3 milliseconds\n");
        assertThat(before).containsExactly("/a 1 bytes", "Status: HEALTHY");
        assertThat(StockFsck.differences(before, before)).isZero();
        assertThat(StockFsck.differences(before, List.of("/a 1 bytes", "/a 1 bytes", "Status: CORRUPT")))
                .isEqualTo(3);
    }
}
