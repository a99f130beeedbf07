package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryPauseTest {

    @Test
    void failures_doubleThePause_upToTheLongest() {
        RetryPause pause = new RetryPause(1, 60);
        long nowNs = Long.MAX_VALUE - 5;
        List<Long> lengths = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            assertThat(pause.isOver(nowNs)).isTrue();
            pause.failed(nowNs);
            long beganNs = nowNs;
            while (!pause.isOver(nowNs)) {
                nowNs++;
            }
            lengths.add(nowNs - beganNs);
        }
        assertThat(lengths).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
    }

    @Test
    void changes_areToldOnce() {
        RetryPause pause = new RetryPause(1, 4);
        assertThat(pause.worked(0)).isFalse();
        assertThat(pause.failed(1)).isTrue();
        assertThat(pause.failed(2)).isFalse();
        assertThat(pause.hasFailed()).isTrue();
        assertThat(pause.worked(4)).isTrue();
        assertThat(pause.worked(4)).isFalse();
        assertThat(pause.isOver(4)).isTrue();
        assertThat(pause.failed(5)).as("short again").isTrue();
        assertThat(pause.isOver(6)).isTrue();
    }

    @Test
    void whatEndsInAPause_changesNothing() {
        RetryPause pause = new RetryPause(10, 25);
        pause.failed(0);
        pause.failed(5);
        assertThat(pause.isOver(10)).as("failed in the pause").isTrue();
        pause.failed(10);
        assertThat(pause.worked(29)).as("worked in the pause").isFalse();
        assertThat(pause.isOver(29)).isFalse();
        assertThat(pause.isOver(30)).isTrue();
    }

    @Test
    void failureForLong_makesTheLongestPauseAtOnce() {
        RetryPause pause = new RetryPause(10, 25);
        pause.failedForLong(0);
        assertThat(pause.isOver(24)).isFalse();
        assertThat(pause.isOver(25)).isTrue();
    }
}
