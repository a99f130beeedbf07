package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterHistoryTest {

    private final ClusterHistory history = new ClusterHistory();

    private long nextSampleInMs(long nowMs) {
        return history.json(0, nowMs).get("nextSampleInMs").longValue();
    }

    @Test
    void nextSample_isAnIntervalAfterTheLast_alsoIfTheClockIsSet() {
        assertThat(nextSampleInMs(1000)).isEqualTo(5000);
        history.add(10_000, List.of());
        assertThat(nextSampleInMs(12_000)).isEqualTo(3000);
        assertThat(nextSampleInMs(20_000)).isZero();
        assertThat(nextSampleInMs(1000)).isEqualTo(5000);
    }

    @Test
    void samples_areThoseAfterATime_andBounded() {
        for (int i = 1; i <= ClusterHistory.MOST + 10; i++) {
            history.add(i * 5000L, List.of());
        }
        assertThat(history.json(0, 0).get("atMs")).hasSize(ClusterHistory.MOST);
        assertThat(history.json((ClusterHistory.MOST + 8) * 5000L, 0).get("movesInFlight"))
                .hasSize(2);
    }
}
