package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.common.StorageTier;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory of DataNodes is resized while they run; each has 10 MB at first. */
class ResizePlacementTest extends TieredCluster {

    @BeforeEach
    void files() {
        placement.policy(nowMs, applied("policy: lru"));
        for (int id = 1; id < 20; id++) {
            place(block(id, 1), "/data/" + id, StorageTier.DISK, one);
        }
    }

    private NodeReport report(FakeDataNode node) {
        return placement.reports().nodes(nowMs).stream()
                .filter(report -> report.uuid().equals(node.uuid))
                .findFirst()
                .orElseThrow();
    }

    private void readAll() {
        for (int id = 1; id < 20; id++) {
            read(one, block(id, 1), 2);
        }
    }

    @Test
    void smaller_dropsWhatIsLeastWorthy_andLarger_fillsUp() {
        readAll();
        int before = one.memory.size();
        assertThat(placement.resize(one.uuid, 4 * MB)).isNull();
        assertThat(report(one).resize()).isNotNull();
        beats(6);
        assertThat(report(one).resize()).as("it has answered").isNull();
        assertThat(report(one).resized().refusal()).isNull();
        assertThat(one.memory.size()).isLessThanOrEqualTo(4).isLessThan(before);
        assertThat(placement.resize(one.uuid, 16 * MB)).isNull();
        beats(2);
        readAll();
        assertThat(one.memory.size()).isBetween(11, 16);
    }

    @Test
    void refusal_ofTheDataNode_isReported_andNotAskedForAgain() {
        one.mostBytes = 10 * MB;
        assertThat(placement.resize(one.uuid, 11 * MB)).isNull();
        beats(2);
        assertThat(report(one).resize()).isNull();
        assertThat(report(one).resized().refusal()).isEqualTo("too much");
        assertThat(one.capacityBytes).isEqualTo(10 * MB);
        one.mostBytes = 20 * MB;
        assertThat(placement.resize(one.uuid, 11 * MB)).as("the same again").isNull();
        beats(2);
        assertThat(one.capacityBytes).isEqualTo(11 * MB);
        assertThat(report(two).resized()).isNull();
    }

    @Test
    void belowWhatPinsReserve_isRefusedAtOnce() {
        one.arrives(block(1, 3), true);
        beats(2);
        assertThat(placement.resize(one.uuid, 2 * MB)).contains("reserve 3145728 bytes");
        assertThat(placement.resize("nobody", 2 * MB)).isEqualTo("the DataNode does not report");
        beats(2);
        assertThat(one.capacityBytes).isEqualTo(10 * MB);
    }

    @Test
    void restart_ofTheDataNode_endsTheRequest() {
        placement.resize(one.uuid, 4 * MB);
        one.restarts();
        beats(2);
        assertThat(one.capacityBytes).isEqualTo(10 * MB);
        assertThat(report(one).resize()).isNull();
    }

    @Test
    void smaller_withCopiesByTheHundredThousand_asksEachThatIsTooMuchToLeave() {
        int copies = 110_000;
        int bytes = 1024;
        one.capacityBytes = (long) copies * bytes;
        for (int id = 1; id <= copies; id++) {
            one.arrives(new StampedBlock(1000 + id, 1000, bytes), false);
        }
        beats(2 + copies / HeartbeatLimits.ENTRIES);
        one.capacityBytes /= 20;
        one.carryOut = order -> MoveOutcome.LOST;
        beat(one);
        one.capacityBytes -= bytes;
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> beat(one));
        assertThat(report(one).movesWaiting()).isGreaterThan(copies * 9 / 10);
    }
}
