package io.terrace.bench.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.measure.ResultSheet;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class FuzzTestTest {
    @Test
    void target_thatReadItsInput_passes() {
        assertThat(
                        missed(
                                """
                        INFO: seed corpus: files: 7 min: 1b max: 60b total: 200b rss: 180Mb
                        #8\tINITED cov: 61 ft: 90 corp: 5/120b exec/s: 0 rss: 200Mb
                        #1024\tpulse  cov: 74 ft: 130 corp: 9/220b lim: 60 exec/s: 512 rss: 210Mb
                        Done 2048 runs in 2 second(s)
                        """))
                .isZero();
    }

    @Test
    void target_thatReadNothing_isMissed() {
        assertThat(missed("")).isEqualTo(2);
        assertThat(missed("Done 2 runs in 1 second(s)\n"))
                .as("fewer than its valid input, and nothing reached")
                .isEqualTo(2);
        assertThat(missed("#8\tINITED cov: 0 ft: 0\nDone 2048 runs in 2 second(s)\n"))
                .as("none of our code is instrumented")
                .isEqualTo(1);
    }

    private static int missed(String said) {
        ResultSheet sheet = new ResultSheet(new PrintWriter(new StringWriter()));
        FuzzTest.score("fuzz.traces", 7, said, sheet);
        return sheet.missed();
    }
}
