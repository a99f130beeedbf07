package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When replicas are looked at to be moved between volumes, and how often. */
class VolumeLooksTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

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
