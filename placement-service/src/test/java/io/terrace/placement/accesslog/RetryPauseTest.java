package io.terrace.placement.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetryPauseTest {

    private final RetryPause pause = new RetryPause();

    @Test
    void failures_doubleThePause_upToAMinute() {
        long nowNs = Long.MAX_VALUE - 5;
        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            assertThat(pause.isOver(nowNs)).isTrue();
            pause.failed(nowNs);
            long beganNs = nowNs;
            while (!pause.isOver(nowNs)) {
                nowNs += TimeUnit.SECONDS.toNanos(1);
            }
            seconds.add(TimeUnit.NANOSECONDS.toSeconds(nowNs - beganNs));
        }
        assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
    }

    @Test
    void changes_areToldOnce() {
        assertThat(pause.worked()).isFalse();
        assertThat(pause.failed(1)).isTrue();
        assertThat(pause.failed(2)).isFalse();
        assertThat(pause.worked()).isTrue();
        assertThat(pause.worked()).isFalse();
        assertThat(pause.isOver(2)).isTrue();
        assertThat(pause.failed(3)).isTrue();
    }
}
