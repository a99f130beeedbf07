package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void dataNodeThatComesAfterTheSweep_hasItsOrdersWithinSeconds() {
        two.takesVolumeMoves = false;
        beats(1);
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.ARCHIVE, two);
        read(two, BLOCK, 1);
        assertThat(ordered(two)).isEmpty();
        two.takesVolumeMoves = true;
        waits(6_000);
        assertThat(ordered(two)).containsExactly("1 ARCHIVE SSD");
    }

    @Test
    void standDown_andActiveAgain_theFirstOrderWaitsForNoSweep() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.SSD, one, two);
        read(one, BLOCK, 1);
        placement.standDown();
        put(BLOCK, one, StorageTier.ARCHIVE, null);
        put(BLOCK, two, StorageTier.ARCHIVE, null);
        placement.activate(EPOCH + 1, OperatorState.initial());
        placement.turn(nowMs);
        beats(1);
        assertThat(ordered(one)).containsExactly("1 ARCHIVE SSD");
        assertThat(ordered(two)).containsExactly("1 ARCHIVE SSD");
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

    @Test
    void readAllTheTime_whereItIsToBe_isLookedAtOnceAMinute() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.SSD, one);
        read(one, BLOCK, 50);
        int before = names.placeLooks;
        for (int i = 0; i < 60; i++) {
            one.reads(BLOCK, 50);
            waits(1_000);
        }
        assertThat(names.placeLooks - before).isLessThanOrEqualTo(3);
    }

    @Test
    void readAllTheTime_andHotWithoutRoomAbove_isLookedAtEveryFewSeconds() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        use(one, StorageTier.SSD, ROOM);
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        for (int i = 0; i < 30; i++) {
            one.reads(BLOCK, 50);
            waits(1_000);
        }
        assertThat(ordered(one)).isEmpty();
        use(one, StorageTier.SSD, 0);
        one.reads(BLOCK, 50);
        waits(7_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
    }

    /** As where the others use the lock for just as long as they may. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void timeForOneLookAtEverySecondTurn_whatIsReadDoesNotWaitForTheSweep(int first) {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        names.lockBlocks = 1;
        for (int i = 1; i <= 40; i++) {
            place(block(i, 1), "/a/" + i, StorageTier.SSD, one);
            one.reads(block(i, 1), 1);
        }
        waits(55_000);
        names.volumeLooksLeft = 0;
        waits(65_000);
        place(block(99, 1), "/a/99", StorageTier.ARCHIVE, two);
        for (int turn = 0; turn < 20; turn++) {
            names.volumeLooksLeft = turn % 2 == first ? 1 : 0;
            two.reads(block(99, 1), 1);
            beat(two);
        }
        assertThat(ordered(two)).contains("99 ARCHIVE SSD");
    }

    @Test
    void lockHeldTooLong_looksWait_andAreMadeLater() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.ARCHIVE, one);
        names.mayLook = false;
        read(one, BLOCK, 1);
        waits(120_000);
        assertThat(names.placeLooks).isZero();
        names.mayLook = true;
        waits(1_000);
        assertThat(ordered(one)).containsExactly("1 ARCHIVE SSD");
    }

    @Test
    void inARange_thePathIsNotLookedUpTwice() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(BLOCK, "/a/file", StorageTier.SSD, one);
        for (int i = 0; i < 300; i++) {
            one.reads(BLOCK, 1);
            waits(1_000);
        }
        assertThat(names.placeLooksBy.get(Asker.VOLUMES)).isBetween(5, 70);
        assertThat(names.pathLooks).isLessThanOrEqualTo(2);
        name(BLOCK, BLOCK.id(), "/elsewhere");
        names.places.put(
                BLOCK.id(),
                new Placed(
                        BLOCK, "/elsewhere", null, names.places.get(BLOCK.id()).replicas()));
        for (int i = 0; i < 130; i++) {
            one.reads(BLOCK, 1);
            waits(1_000);
        }
        assertThat(placement.reports().block(nowMs, BLOCK.id(), 5).range()).isNull();
        assertThat(names.pathLooks).isGreaterThanOrEqualTo(2);
    }

    @Test
    void mayNotBeMoved_stays() {
        rules("- path: /a/**", "  tiers: nvm");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        put(block(1, 4), one, StorageTier.DISK, "the DataNode is decommissioned or in maintenance");
        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        names.places.put(
                2L,
                new Placed(
                        block(2, 4),
                        "/a/2",
                        "the block is erasure-coded",
                        names.places.get(2L).replicas()));
        place(block(3, 4), "/a/3", StorageTier.DISK, one);
        names.places.put(
                3L,
                new Placed(
                        block(3, 4),
                        "/a/3",
                        null,
                        List.of(new PlacedReplica("one", null, "replicas on RAM_DISK are not moved"))));
        place(block(4, 4), "/a/4", StorageTier.DISK, two);
        two.takesVolumeMoves = false;
        for (int i = 1; i <= 3; i++) {
            read(one, block(i, 4), 9);
        }
        read(two, block(4, 4), 9);
        waits(70_000);
        assertThat(ordered(one)).isEmpty();
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

    private void quota(StampedBlock block, StorageTier... policy) {
        Placed before = names.places.get(block.id());
        names.places.put(
                block.id(),
                new Placed(
                        before.block(),
                        before.path(),
                        before.annotations(),
                        null,
                        before.replicas(),
                        List.of(policy),
                        -1));
    }

    @Test
    void underAQuotaByStorageType_aRangeStaysWithinThePolicysTypes() {
        rules("- path: /a/**", "  tiers: nvm..archive");
        place(BLOCK, "/a/file", StorageTier.DISK, one, two);
        quota(BLOCK, StorageTier.SSD, StorageTier.DISK);
        read(one, BLOCK, 9);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(placement.reports().block(nowMs, 1, 5).range())
                .isEqualTo(
                        "rule 1 of the policy keeps it in ssd..disk of its tiers: a quota by storage type binds it to the"
                                + " storage policy");
        nowMs += TimeUnit.DAYS.toMillis(1);
        beats(1);
        waits(70_000);
        assertThat(ordered(one)).as("not to archive").containsExactly("1 DISK SSD", "1 SSD DISK");
    }

    @Test
    void underAQuotaByStorageType_withoutThePolicysTypesInTheRange_staysAndExplainSaysSo() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        quota(BLOCK, StorageTier.DISK);
        read(one, BLOCK, 9);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(stays(1)).startsWith("a directory above it has a quota by storage type");
    }

    @Test
    void rangeWithoutATypeOfTheStoragePolicy_isSaid() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).as("it is meant").containsExactly("1 DISK SSD");
        Placed placed = names.places.get(BLOCK.id());
        assertThat(placement.offPolicy(new Home(placed, "HOT", List.of(StorageTier.DISK))))
                .isEqualTo("storage policy HOT wants none of these types: hdfs mover takes replicas out of them");
        assertThat(placement.offPolicy(new Home(placed, "ONE_SSD", List.of(StorageTier.SSD, StorageTier.DISK))))
                .isNull();
        assertThat(placement.offPolicy(new Home(placed, "LAZY_PERSIST", List.of())))
                .isNull();
        place(BLOCK, "/b/file", StorageTier.DISK, one);
        assertThat(placement.offPolicy(new Home(names.places.get(BLOCK.id()), "HOT", List.of(StorageTier.DISK))))
                .isNull();
    }

    private String stays(long id) {
        return placement.reports().block(nowMs, id, 5).replicas().get(0).stays();
    }

    @Test
    void whatStays_isSaidByExplain() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        names.places.put(1L, names.places.get(1L).stopped("the block is erasure-coded"));
        names.places.put(2L, names.places.get(2L).stopped("the block is being written or recovered"));
        for (int i = 3; i <= 4; i++) {
            String type = i == 3 ? "RAM_DISK" : "PROVIDED";
            place(block(i, 4), "/a/" + i, StorageTier.DISK, one);
            names.places.put(
                    (long) i,
                    new Placed(
                            block(i, 4),
                            "/a/" + i,
                            null,
                            List.of(new PlacedReplica("one", null, "replicas on " + type + " are not moved"))));
        }
        for (int i = 1; i <= 4; i++) {
            read(one, block(i, 4), 9);
        }
        assertThat(ordered(one)).isEmpty();
        assertThat(stays(1)).isEqualTo("the block is erasure-coded");
        assertThat(stays(2)).isEqualTo("the block is being written or recovered");
        assertThat(stays(3)).isEqualTo("replicas on RAM_DISK are not moved");
        assertThat(stays(4)).isEqualTo("replicas on PROVIDED are not moved");
    }

    @Test
    void stays_byWhatTheNameNodeSaysNow() {
        rules("- path: /a/**", "  tiers: nvm..ssd");
        place(block(1, 4), "/a/1", StorageTier.DISK, one);
        // Reads of an erasure-coded block are not counted, so nobody has looked at it.
        Placed coded = names.places.get(1L).stopped("the block is erasure-coded");
        BlockReport report = placement.reports().block(nowMs, 1, Set.of("one"), coded, 5);
        assertThat(report.range()).isEqualTo("rule 1 of the policy keeps it in nvm..ssd");
        assertThat(report.replicas()).extracting(ReplicaReport::stays).containsExactly("the block is erasure-coded");
        Placed elsewhere = new Placed(block(1, 4), "/b/1", "the block is erasure-coded", coded.replicas());
        report = placement.reports().block(nowMs, 1, Set.of("one"), elsewhere, 5);
        assertThat(report.range()).isNull();
        assertThat(report.replicas().get(0).stays()).isNull();

        place(block(2, 4), "/a/2", StorageTier.DISK, one);
        Placed closed = names.places.get(2L);
        names.places.put(2L, closed.stopped("the block is being written or recovered"));
        read(one, block(2, 4), 9);
        assertThat(stays(2)).isEqualTo("the block is being written or recovered");
        report = placement.reports().block(nowMs, 2, Set.of("one"), closed, 5);
        assertThat(report.replicas().get(0).stays()).isNull();
    }

    @Test
    void openWhenLookedAt_isLookedAtAgainWithinSeconds() {
        rules("- path: /a/**", "  tiers: nvm");
        place(BLOCK, "/a/file", StorageTier.DISK, one);
        Placed closed = names.places.get(BLOCK.id());
        names.places.put(
                BLOCK.id(), new Placed(BLOCK, "/a/file", "the block is being written or recovered", List.of()));
        read(one, BLOCK, 9);
        assertThat(ordered(one)).isEmpty();
        names.places.put(BLOCK.id(), closed);
        waits(7_000);
        read(one, BLOCK, 1);
        waits(1_000);
        assertThat(ordered(one)).containsExactly("1 DISK NVM");
    }
}
