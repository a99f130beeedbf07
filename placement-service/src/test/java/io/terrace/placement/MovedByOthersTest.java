package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Replicas that others moved between volumes are left alone; those that Terrace moved are told from them. */
class MovedByOthersTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    @Test
    void movedByOthers_isLeftAloneForHours_andExplainSaysSo() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        read(one, BLOCK, 50);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        waits(5_000);
        read(one, BLOCK, 1); // The NameNode knows by now.
        waits(5_000);
        put(BLOCK, one, StorageTier.DISK, null);
        read(one, BLOCK, 50);
        waits(120_000);
        assertThat(ordered(one)).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OTHERS)).isEqualTo(1);
        assertThat(placement.reports().block(nowMs, 1, 5).replicas().get(0).stays())
                .contains("moved from ssd to disk by others", "left alone for 35");
        nowMs += TimeUnit.HOURS.toMillis(6);
        beats(2);
        read(one, BLOCK, 50);
        waits(10_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD", "1 DISK SSD");
    }

    @Test
    void movedByOthersRightAfterOurMove_isLeftAloneToo() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        one.carryOutVolumeMove = (epoch, order) -> result(epoch, order, MoveOutcome.DONE, StorageTier.DISK);
        read(one, BLOCK, 50);
        assertThat(ordered(one)).hasSize(1);
        waits(61_000);
        read(one, BLOCK, 50);
        waits(70_000);
        assertThat(ordered(one)).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OTHERS)).isEqualTo(1);
    }

    @Test
    void ownMove_isNotTakenForOneOfOthers_thoughTheNameNodeHearsOfItLate() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        waits(45_000); // So the next sweep comes before the NameNode hears of the move.
        one.carryOutVolumeMove = (epoch, order) -> result(epoch, order, MoveOutcome.DONE, order.to());
        read(one, BLOCK, 50);
        read(one, BLOCK, 50);
        waits(20_000);
        put(BLOCK, one, StorageTier.SSD, null);
        waits(120_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OTHERS)).isZero();
    }
}
