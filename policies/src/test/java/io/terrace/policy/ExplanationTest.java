package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.api.Explanation;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    @Test
    void tenths_areThoseOfStringFormat() {
        double[] values = {0, -0.04, 0.05, -0.05, 9.95, -9.96, 1e9, -1e9, Double.MIN_VALUE};
        for (double value : values) {
            assertTenths(value);
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            assertTenths((random.nextDouble() - 0.5) * 200);
        }
    }

    private static void assertTenths(double value) {
        String expected = String.format(Locale.ROOT, "%.1f", value);
        assertThat(Explanation.tenths(value)).isEqualTo(expected.equals("-0.0") ? "0.0" : expected);
    }

    @Test
    void tenths_ofWhatIsNoNumber_areWords() {
        assertThat(Explanation.tenths(Double.NaN)).isEqualTo("NaN");
        assertThat(Explanation.tenths(Double.NEGATIVE_INFINITY)).isEqualTo("-Infinity");
    }
}
