package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.Test;

/** Reports of more copies than one heartbeat carries. */
class FullReportTest extends SteppedLoop {

    private static final int PAGE = HeartbeatLimits.ENTRIES;
    private static final int COPIES = 2 * PAGE + 100;

    private static StampedBlock small(long id) {
        return new StampedBlock(id, 1000 + id, 10);
    }

    private long resident() {
        return placement.engineStatus().resident();
    }

    private void arrive(int copies) {
        one.capacityBytes = 10L * copies;
        for (int i = 1; i <= copies; i++) {
            one.arrives(small(i), false);
        }
        for (int told = 0; told <= copies; told += PAGE) {
            beat(one);
        }
        assertThat(resident()).isEqualTo(copies);
    }

    @Test
    void copy_onALaterPage_wasHereAllTheTime() {
        arrive(COPIES);
        one.reads(small(COPIES), 3);
        beat(one);
        nowMs += 5_000;
        one.wantsFull = true;
        for (int i = 0; i < 3; i++) {
            beat(one);
            assertThat(resident()).isEqualTo(COPIES);
        }
        ReplicaReport replica =
                placement.reports().block(nowMs, COPIES, 0).replicas().get(0);
        assertThat(replica.bytesServedFromMemory()).isEqualTo(30);
        assertThat(replica.residentSinceMs()).isGreaterThan(5_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_UNPAID)).isZero();
    }

    @Test
    void copy_onNoPage_isGoneWithTheLastOne() {
        arrive(COPIES);
        one.memory.remove(7L);
        one.wantsFull = true;
        beat(one);
        beat(one);
        assertThat(resident()).isEqualTo(COPIES);
        beat(one);
        assertThat(resident()).isEqualTo(COPIES - 1);
        assertThat(one.orders).isEmpty();
    }

    @Test
    void copy_onNoPage_ofWholePages_isGoneWithTheNextHeartbeat() {
        arrive(PAGE + 1);
        one.memory.remove(7L);
        one.wantsFull = true;
        beat(one);
        assertThat(resident()).isEqualTo(PAGE + 1);
        beat(one);
        assertThat(resident()).isEqualTo(PAGE);
    }

    @Test
    void copy_thatLeavesBetweenPages_isGoneAndStaysGone() {
        arrive(COPIES);
        one.wantsFull = true;
        beat(one);
        one.leaves(small(1));
        beat(one);
        beat(one);
        assertThat(resident()).isEqualTo(COPIES - 1);
    }

    @Test
    void restart_betweenPages_endsTheReport() {
        arrive(COPIES);
        one.wantsFull = true;
        beat(one);
        one.restarts();
        one.arrives(small(3), false);
        beat(one);
        assertThat(resident()).isEqualTo(1);
    }
}
