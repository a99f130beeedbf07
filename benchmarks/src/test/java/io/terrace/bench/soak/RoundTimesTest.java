package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RoundTimesTest {
    @Test
    void parts_areFromTheEndOfTheOneBefore() {
        long startNs = -5;
        RoundTimes times = new RoundTimes(startNs);

        times.ended("faults", startNs + TimeUnit.SECONDS.toNanos(16));
        times.ended("mend", startNs + TimeUnit.SECONDS.toNanos(21) + 7);

        assertThat(times.text()).isEqualTo("faults 16 s, mend 5 s");
    }
}
