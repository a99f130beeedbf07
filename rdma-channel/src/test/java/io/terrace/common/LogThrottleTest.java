package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogThrottleTest {
    @Test
    void sparingly_letsOneThroughInItsTime_andTellsHowManyItDidNot() {
        LogThrottle logThrottle = new LogThrottle(100);
        assertThat(logThrottle.next(-5)).isZero();
        assertThat(logThrottle.next(0)).isNull();
        assertThat(logThrottle.next(94)).isNull();
        assertThat(logThrottle.next(95)).isEqualTo(2);
        assertThat(logThrottle.next(194)).isNull();
        assertThat(logThrottle.next(1000)).isEqualTo(1);
    }

    @Test
    void once_letsTheFirstThrough_andAgainAfterReset() {
        LogThrottle once = LogThrottle.once();
        assertThat(once.first()).isTrue();
        assertThat(once.first()).isFalse();
        once.reset();
        assertThat(once.first()).isTrue();
        assertThat(once.first()).isFalse();
    }
}
