package io.terrace.bench.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class ShownNumberTest {

    @Test
    void parse_numberWithUnit_isNearWhatItWasRoundedFrom() {
        assertThat(ShownNumber.parse("8.6 MB").isBetween(9_000_000, 9_000_000)).isTrue();
        assertThat(ShownNumber.parse("8.6 MB").isBetween(9_100_000, 9_100_000)).isFalse();
        assertThat(ShownNumber.parse("1,234,567").isBetween(1_234_567, 1_234_567))
                .isTrue();
        assertThat(ShownNumber.parse("2.0 ms").isBetween(2_033_000, 2_033_000)).isTrue();
        assertThat(ShownNumber.parse("75 %").isBetween(74.6, 74.6)).isTrue();
        assertThat(ShownNumber.parse("0 B").isBetween(1, 1)).isFalse();
    }

    @Test
    void isBetween_numberThatGrewMeanwhile() {
        assertThat(ShownNumber.parse("15").isBetween(10, 20)).isTrue();
        assertThat(ShownNumber.parse("21").isBetween(10, 20)).isFalse();
    }

    @Test
    void parse_otherText_isRefused() {
        for (String text : new String[] {"-", "undefined", "NaN B", "1.5 XB", ""}) {
            assertThatThrownBy(() -> ShownNumber.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void of_metricFieldOrShare() throws Exception {
        var status = new ObjectMapper().readTree("{\"pinnedFiles\":3,\"figures\":{\"a\":1,\"b\":4}}");
        assertThat(ShownNumber.of(status, "pinnedFiles")).isEqualTo(3);
        assertThat(ShownNumber.of(status, "a")).isEqualTo(1);
        assertThat(ShownNumber.of(status, "a/b")).isEqualTo(25);
        assertThat(ShownNumber.of(status, "none")).isNaN();
    }
}
