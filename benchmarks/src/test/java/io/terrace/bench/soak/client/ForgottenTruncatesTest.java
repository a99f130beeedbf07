package io.terrace.bench.soak.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ForgottenTruncatesTest {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

    private final ForgottenTruncates truncates = new ForgottenTruncates();

    @Test
    void truncate_withoutALocationForLong_isForgotten() {
        assertThat(truncates.isForgotten(7, true, false, 5)).isFalse();
        assertThat(truncates.isForgotten(7, true, false, 5 + MINUTE_NS)).isFalse();
        assertThat(truncates.isForgotten(7, true, false, 6 + MINUTE_NS)).isTrue();
        assertThat(truncates.isForgotten(8, true, false, 6 + MINUTE_NS)).isFalse();
    }

    @Test
    void truncate_thatHasALocationMeanwhile_isNotForgotten() {
        assertThat(truncates.isForgotten(7, true, false, 5)).isFalse();
        assertThat(truncates.isForgotten(7, true, true, MINUTE_NS)).isFalse();
        assertThat(truncates.isForgotten(7, true, false, 2 * MINUTE_NS)).isFalse();
    }

    @Test
    void fileThatIsWritten_isNeverForgotten() {
        assertThat(truncates.isForgotten(7, false, false, 5)).isFalse();
        assertThat(truncates.isForgotten(7, false, false, 9 * MINUTE_NS)).isFalse();
    }
}
