package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.policy.adaptive.AdaptivePolicy;
import io.terrace.policy.adaptive.Objective;
import io.terrace.policy.adaptive.Tuning;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceFormatTest {

    @Test
    void append_anyRow_isParsedAsItWas() throws TraceFormatException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            long timeMs = random.nextLong(2_000_000_000_000L);
            long object = random.nextLong();
            long bytes = random.nextLong(1L << 47);
            long sizeBytes = random.nextLong(1L << 47);
            line.setLength(0);
            TraceFormat.append(line, timeMs, object, bytes, i % 2 == 0, sizeBytes);
            TraceFormat row = TraceFormat.strict("t");
            assertThat(line).endsWith("\n");
            assertThat(row.parse(line.substring(0, line.length() - 1), i)).isTrue();
            assertThat(row.timeMs()).isEqualTo(timeMs);
            assertThat(row.object()).isEqualTo(Long.toString(object));
            assertThat(row.bytes()).isEqualTo(bytes);
            assertThat(row.sizeBytes()).isEqualTo(sizeBytes);
            assertThat(row.isWrite()).isEqualTo(i % 2 == 0);
            assertThat(row.job()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.5,7,10",
                "1.5,7,10,R,20",
                "x,7,10,R,20,",
                "1.5,7,10,R,2x,",
                "1.5,7,10,Q,20,",
                "1.5,,1,R,2,",
                "1.5,7,10,R,281474976710656,"
            })
    void parse_rowThatDoesNotFit_isRefusedOrPassedOver(String line) throws TraceFormatException {
        assertThatThrownBy(() -> TraceFormat.strict("t").parse(line, 9))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageStartingWith("trace t, line 9: ");
        TraceFormat lenient = TraceFormat.lenient("t");
        assertThat(lenient.parse(line, 9)).isFalse();
        assertThat(lenient.parse("1.5,7,10,R,20,", 10)).isTrue();
        assertThat(lenient.timeMs()).isEqualTo(1500);
    }

    @Test
    void parse_largestSize_isKeptByAPolicy() throws TraceFormatException {
        TraceFormat row = TraceFormat.strict("t");
        assertThat(row.parse("1.5,7,10,R," + (1L << 47) + ",", 2)).isTrue();
        AdaptivePolicy policy = new AdaptivePolicy(1L << 48, new Tuning(Objective.BYTES, 16, 16, 0, 0, 1000));
        policy.adopt(0, 7, row.sizeBytes(), (object, sizeBytes) -> {});
        assertThat(policy.usedBytes()).isEqualTo(row.sizeBytes());
    }

    @Test
    void parse_blankLine_isNoRow() throws TraceFormatException {
        assertThat(TraceFormat.strict("t").parse(" ", 2)).isFalse();
    }
}
