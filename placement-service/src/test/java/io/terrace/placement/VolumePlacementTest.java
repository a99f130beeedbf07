package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.StampedBlock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which replicas move between volumes, by the range of tiers that a rule gives. */
class VolumePlacementTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    @Test
    void withoutTiers_nothingMovesAndNothingIsLookedAt() {
        rules("- path: /a/**", "  place: prefer");
        place(BLOCK, "/a/file", StorageTier.ARCHIVE, one);
        read(one, BLOCK, 50);
        assertThat(ordered(one)).isEmpty();
        assertThat(names.placeLooks).isZero();
    }

    @Test
    void outsideTheRange_allReplicasAreBroughtToItsNearestEnd() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.ARCHIVE, one, two);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).containsExactly("1 ARCHIVE SSD");
        assertThat(ordered(two)).containsExactly("1 ARCHIVE SSD");
        assertThat(lastMove().cause()).isEqualTo(Cause.RULE);
        assertThat(lastMove().reason()).isEqualTo("rule 1 of the policy keeps it in nvm..ssd");
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_DONE)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVED_BYTES)).isEqualTo(8 * MB);
    }

    @Test
    void outsideTheRange_fasterReplicasComeDown_andTheNextTierIsTakenWhereOneIsFull() {
        rules("- path: /a/**", "  tiers: ssd..archive");
        use(one, StorageTier.SSD, ROOM - MB);
        place(BLOCK, "/a/file", StorageTier.NVM, one);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).containsExactly("1 NVM DISK");
    }

    @Test
    void hot_oneReplicaClimbs_whereMostIsRead() {
        rules("- path: /a/**", "  tiers: nvm..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one, two);
        one.reads(BLOCK, 2);
        read(two, BLOCK, 9);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).containsExactly("1 DISK NVM");
        assertThat(lastMove().cause()).isEqualTo(Cause.HEAT);
    }

    @Test
    void hot_allReplicasClimb_whereTheRuleSaysSo() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  replicas: all");
        place(BLOCK, "/a/file", StorageTier.DISK, one, two);
        read(one, BLOCK, 9);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(ordered(two)).containsExactly("1 DISK SSD");
    }

    @Test
    void lukewarm_staysWhereItIs() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        read(one, BLOCK, 2);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
    }

    @Test
    void notAccessedForLong_goesDown() {
        rules("- path: /a/**", "  tiers: nvm..archive");
        place(BLOCK, "/a/file", StorageTier.NVM, one);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).isEmpty();
        waits(10_000);
        nowMs += TimeUnit.DAYS.toMillis(1);
        beats(1);
        waits(70_000);
        assertThat(ordered(one)).containsExactly("1 NVM ARCHIVE");
        assertThat(lastMove().cause()).isEqualTo(Cause.COLD);
    }

    @Test
    void aboveTheHighWaterMark_theColdestGoDown_untilItIsBelow() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        for (int i = 1; i <= 5; i++) {
            place(block(i, 4), "/a/" + i, StorageTier.SSD, one);
            read(one, block(i, 4), i + 3);
        }
        assertThat(ordered(one)).isEmpty();
        use(one, StorageTier.SSD, 95 * MB);
        waits(15_000);
        assertThat(ordered(one)).startsWith("1 SSD DISK", "2 SSD DISK");
        assertThat(lastMove().cause()).isEqualTo(Cause.FULL);
    }

    @Test
    void hotter_takesTheRoomOfOneThatIsReadMuchLess() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(block(1, 4), "/a/1", StorageTier.SSD, one);
        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        read(one, block(1, 4), 4);
        use(one, StorageTier.SSD, 89 * MB);
        waits(4_000);
        read(one, block(2, 4), 6);
        waits(15_000);
        assertThat(ordered(one)).as("not hot enough").isEmpty();
        read(one, block(2, 4), 30);
        waits(1_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        use(one, StorageTier.SSD, 85 * MB);
        waits(70_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK", "2 DISK SSD");
    }

    @Test
    void hotter_withOneReplicaUpAlready_takesNoRoomForAnother() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(block(1, 4), "/a/1", StorageTier.SSD, two);
        place(block(2, 4), "/a/2", StorageTier.DISK, one, two);
        put(block(2, 4), one, StorageTier.SSD, null);
        read(two, block(1, 4), 4);
        use(two, StorageTier.SSD, 89 * MB);
        waits(4_000);
        read(two, block(2, 4), 36);
        waits(15_000);
        assertThat(ordered(two)).isEmpty();
    }

    @Test
    void upgrade_stopsMovesUntilItEnds() {
        rules("- path: /a/**", "  tiers: nvm");
        place(BLOCK, "/a/1", StorageTier.DISK, one);
        names.upgrade = "a rolling upgrade is under way";
        read(one, BLOCK, 9);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
        names.upgrade = null;
        waits(1_000);
        assertThat(ordered(one)).containsExactly("1 DISK NVM");
    }

    @Test
    void otherRules_moveWhatIsKnown_thoughNobodyReadsIt() {
        rules("- path: /a/**", "  tiers: ssd");
        for (int i = 1; i <= 20; i++) {
            place(block(i, 1), "/a/" + i, StorageTier.DISK, one);
            one.reads(block(i, 1), 1);
        }
        waits(5_000);
        assertThat(ordered(one)).hasSize(20).allMatch(order -> order.endsWith("DISK SSD"));
        one.orders.clear();
        rules("- path: /a/**", "  tiers: archive");
        waits(5_000);
        assertThat(ordered(one)).hasSize(20).allMatch(order -> order.endsWith("SSD ARCHIVE"));
        one.orders.clear();
        rules("- path: /b/**", "  tiers: disk");
        waits(5_000);
        assertThat(ordered(one)).isEmpty();
    }

    /** It was left alone when the rules changed. */
    @Test
    void otherRules_moveWhatWasBeingMoved_asSoonAsItsResultIsThere() {
        rules("- path: /a/**", "  tiers: ssd");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        one.reads(BLOCK, 1);
        while (ordered(one).isEmpty()) {
            beat(one);
        }
        rules("- path: /a/**", "  tiers: archive");
        // The result is still to come.
        beat(two);
        beat(two);
        waits(20_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD", "1 SSD ARCHIVE");
    }
}
