package io.terrace.placementctl.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class ClusterIntervalTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MB = 1 << 20;

    private static ClusterSample at(long second, Map<String, Long> service, Map<String, Map<String, Long>> dataNodes) {
        return new ClusterSample(second * SECOND, "nn1:8020", 7, service, dataNodes, 3 * MB, MB);
    }

    @Test
    void between_sumsDataNodes_byTier() {
        ClusterSample before = at(
                10,
                Map.of("placement.promotions.done", 5L, "placement.lock.nanoseconds", 0L),
                Map.of("a", Map.of("reads.granted.bytes", 10 * MB, "reads.granted.nvm.bytes", 2 * MB), "b", Map.of()));
        ClusterSample after = at(
                12,
                Map.of(
                        "placement.promotions.done", 8L,
                        "placement.lock.nanoseconds", SECOND / 50,
                        "placement.moves.waiting", 4L),
                Map.of(
                        "a", Map.of("reads.granted.bytes", 20 * MB, "reads.granted.nvm.bytes", 4 * MB),
                        "b",
                                Map.of(
                                        "reads.stock.replica.bytes", 10 * MB,
                                        "reads.stock.replica", 1L,
                                        "reads.stock.memory", 3L)));
        ClusterInterval interval = ClusterInterval.between(before, after);
        assertThat(interval.memoryBytes()).isEqualTo(8 * MB);
        assertThat(interval.nvmBytes()).isEqualTo(2 * MB);
        assertThat(interval.replicaBytes()).isEqualTo(10 * MB);
        assertThat(interval.movesIn()).isEqualTo(3);
        assertThat(interval.movesQueued()).isEqualTo(4);
        assertThat(interval.line().trim().split(" +"))
                .containsExactly(
                        "4.0", "1.0", "5.0", "75", "40", "3", "0", "0", "4", "3.0", "MB", "1.0", "MB", "1.000");
        assertThat(interval.json().get("hitsByReads").asDouble()).isEqualTo(0.75);
        assertThat(interval.json().get("lockShare").asDouble()).isEqualTo(0.01);
    }

    @Test
    void between_restartedAndNewDataNodes_countWhatIsTheirs() {
        Map<String, Long> much = Map.of("reads.stock.memory.bytes", 100 * MB);
        ClusterInterval interval = ClusterInterval.between(
                at(1, Map.of(), Map.of("restarted", much)),
                at(2, Map.of(), Map.of("restarted", Map.of("reads.stock.memory.bytes", MB), "new", much)));
        assertThat(interval.memoryBytes()).isEqualTo(MB);
        assertThat(interval.json().has("hitsByReads")).isFalse();
    }

    @Test
    void lines_fitBelowTheHeader() {
        ClusterInterval idle = ClusterInterval.between(at(1, Map.of(), Map.of()), at(2, Map.of(), Map.of()));
        assertThat(ClusterInterval.header())
                .hasSize(2)
                .allMatch(line -> line.length() == idle.line().length());
        assertThat(idle.line().length()).isLessThanOrEqualTo(100);
    }

    @Test
    void failover_isAnotherEpochOrNameNode() {
        ClusterSample before = at(1, Map.of(), Map.of());
        assertThat(at(2, Map.of(), Map.of()).isAfterFailover(before)).isFalse();
        ClusterSample other = new ClusterSample(2 * SECOND, "nn2:8020", 9, Map.of(), Map.of(), 0, 0);
        assertThat(other.isAfterFailover(before)).isTrue();
    }
}
