package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Blocks of which no access is known: DataNodes offer them, and they go down as others do. */
class OfferedBlocksTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);
    private static final long OUTSIDE_MS = TimeUnit.MINUTES.toMillis(10);
    private static final long SWEEP_MS = TimeUnit.MINUTES.toMillis(1);
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);

    private void offer(FakeDataNode node, StampedBlock block, long ageMs) {
        node.offers.add(new Offer(block, StorageTier.SSD, ageMs));
        beats(3);
    }

    /** So long ago the service began to count accesses. */
    private void heardFor(long ms) {
        nowMs += ms;
        beats(1);
    }

    @Test
    void withoutARange_nothingIsAskedFor() {
        rules("- path: /a/**", "  place: prefer");
        heardFor(24 * HOUR_MS);
        assertThat(one.offersWanted).isEmpty();
    }

    @Test
    void asked_ofTiersThatARangeLeadsDownFrom_onceAccessesWereCountedForThatLong() {
        rules("- path: /a/**", "  tiers: nvm..ssd", "  keep: 2h");
        heardFor(HOUR_MS);
        assertThat(one.offersWanted).isEmpty();
        heardFor(HOUR_MS);
        assertThat(one.offersWanted).containsExactly(new OffersWanted(StorageTier.NVM, 2 * HOUR_MS));
        one.takesVolumeMoves = false;
        beats(1);
        assertThat(one.offersWanted).isEmpty();
        assertThat(two.offersWanted).hasSize(1);
        names.mayLook = false;
        beats(1);
        assertThat(two.offersWanted)
                .as("the lock is held for too much of the time")
                .isEmpty();
        names.mayLook = true;
        names.upgrade = "an upgrade is not finalized";
        beats(1);
        assertThat(two.offersWanted).isEmpty();
    }

    @Test
    void fasterThanTheRange_isAskedForAfterMinutes_andComesIntoItWhateverItsAge() {
        rules("- path: /a/**", "  tiers: disk..archive", "  keep: 90d");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        unread(BLOCK, 0);
        heardFor(OUTSIDE_MS / 2);
        assertThat(one.offersWanted).isEmpty();
        heardFor(OUTSIDE_MS / 2);
        assertThat(one.offersWanted)
                .containsExactly(
                        new OffersWanted(StorageTier.NVM, OUTSIDE_MS), new OffersWanted(StorageTier.SSD, OUTSIDE_MS));
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        assertThat(lastMove().cause()).isEqualTo(Cause.RULE);
        assertThat(range()).as("nothing is kept of it").isNull();
    }

    @Test
    void fasterThanTheRange_butWithoutRoomInIt_isNotKeptInMind() {
        rules("- path: /a/**", "  tiers: disk", "- path: /b/**", "  tiers: disk");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        use(one, StorageTier.DISK, ROOM);
        heardFor(OUTSIDE_MS);
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(ordered(one)).isEmpty();
        assertThat(range()).isNull();
    }

    @Test
    void readBeforeItWasRenamedIntoARange_comesIntoItThoughNobodyReadsItSince() {
        rules("- path: /old/**", "  tiers: disk..archive", "- path: /new/**", "  place: never");
        place(BLOCK, "/new/1", StorageTier.SSD, one);
        read(one, BLOCK, 2);
        heardFor(OUTSIDE_MS);
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(ordered(one)).isEmpty();
        place(BLOCK, "/old/1", StorageTier.SSD, one);
        waits(2 * SWEEP_MS);
        assertThat(ordered(one)).as("the sweep does not see a rename").isEmpty();
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        assertThat(range()).contains("disk..archive");
    }

    @Test
    void readWithinAMinute_withoutARange_takesNoLookAtTheNameNode() {
        rules("- path: /old/**", "  tiers: disk..archive");
        place(BLOCK, "/new/1", StorageTier.SSD, one);
        heardFor(OUTSIDE_MS);
        read(one, BLOCK, 1);
        names.placeLooksBy.clear();
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(names.placeLooksBy).isEmpty();
        heardFor(SWEEP_MS);
        offer(one, BLOCK, OUTSIDE_MS);
        assertThat(names.placeLooksBy).isNotEmpty();
    }

    @Test
    void keepOfMonths_aDayOfCountingIsEnough() {
        rules("- path: /a/**", "  tiers: nvm..disk", "  keep: 90d");
        heardFor(24 * HOUR_MS);
        assertThat(one.offersWanted)
                .containsExactly(
                        new OffersWanted(StorageTier.NVM, 90 * 24 * HOUR_MS),
                        new OffersWanted(StorageTier.SSD, 90 * 24 * HOUR_MS));
    }

    @Test
    void old_goesDownToTheSlowestTier() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one, two);
        heardFor(HOUR_MS);
        offer(one, BLOCK, HOUR_MS);
        assertThat(ordered(one)).containsExactly("1 SSD ARCHIVE");
        assertThat(ordered(two)).as("it offers its own").isEmpty();
        assertThat(lastMove().cause()).isEqualTo(Cause.COLD);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OFFERED)).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OFFERED_DOWN)).isEqualTo(1);
        assertThat(placement.reports().block(nowMs, 1, 5).range())
                .as("nothing is kept of it")
                .isNull();
        waits(5_000);
        assertThat(ordered(one)).hasSize(1);
    }

    @Test
    void writtenLongAgo_butReadOfLateByHdfsAccessTime_stays() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 7d");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        unread(BLOCK, 7 * 24 * HOUR_MS - 1);
        heardFor(24 * HOUR_MS);
        offer(one, BLOCK, 90 * 24 * HOUR_MS);
        assertThat(ordered(one)).isEmpty();
        unread(BLOCK, 7 * 24 * HOUR_MS);
        offer(one, BLOCK, 90 * 24 * HOUR_MS);
        assertThat(ordered(one)).containsExactly("1 SSD ARCHIVE");
    }

    /** HDFS notes an access to the hour: a file that was just written would stay for an hour, whatever is counted here. */
    @Test
    void accessesCountedForAsLongAsItIsKept_hdfsAccessTimeDoesNotMatter() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        unread(BLOCK, 0);
        heardFor(HOUR_MS);
        offer(one, BLOCK, HOUR_MS);
        assertThat(ordered(one)).containsExactly("1 SSD ARCHIVE");
    }

    @Test
    void youngOrOfNoRange_orKnownByItsReads_stays() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        for (int i = 1; i <= 4; i++) {
            place(block(i, 4), i == 2 ? "/b/2" : "/a/" + i, StorageTier.SSD, one);
        }
        heardFor(HOUR_MS);
        offer(one, block(1, 4), HOUR_MS - 1);
        offer(one, block(2, 4), 5 * HOUR_MS);
        one.reads(block(3, 4), 1);
        offer(one, block(3, 4), 5 * HOUR_MS);
        offer(one, new StampedBlock(4, 7, 4 * MB), 5 * HOUR_MS);
        offer(two, block(1, 4), 5 * HOUR_MS);
        offer(one, block(99, 4), 5 * HOUR_MS);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).isEmpty();
    }

    @Test
    void aboveTheHighWaterMark_theOldestGoDown_untilItIsBelow() {
        fullTierDrains(HOUR_MS);
    }

    @Test
    void aboveTheHighWaterMark_accessesCountedForLessThanTheAge_theOldestGoDownForThatAlone() {
        fullTierDrains(91 * 24 * HOUR_MS);
    }

    private void fullTierDrains(long ageMs) {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 90d");
        for (int i = 1; i <= 5; i++) {
            place(block(i, 4), "/a/" + i, StorageTier.SSD, one);
        }
        use(one, StorageTier.SSD, 95 * MB);
        heardFor(HOUR_MS);
        assertThat(one.offersWanted)
                .containsExactly(new OffersWanted(StorageTier.NVM, OUTSIDE_MS), new OffersWanted(StorageTier.SSD, 0));
        one.carryOutVolumeMove = (epoch, order) -> {
            use(one, StorageTier.SSD, used.get(one).get(StorageTier.SSD) - 4 * MB);
            return done(one, epoch, order);
        };
        for (int i = 1; i <= 5; i++) {
            one.offers.add(new Offer(block(i, 4), StorageTier.SSD, ageMs - i));
        }
        beats(10);
        assertThat(ordered(one)).containsExactly("1 SSD DISK", "2 SSD DISK");
        assertThat(lastMove().cause()).isEqualTo(Cause.FULL);
    }

    @Test
    void lockHeldTooLong_offersAreNotTaken_andAreOfferedAgain() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        heardFor(HOUR_MS);
        names.mayLook = false;
        offer(one, BLOCK, HOUR_MS);
        assertThat(names.placeLooksBy).isEmpty();
        assertThat(ordered(one)).isEmpty();
        assertThat(one.offers).hasSize(1);
        names.mayLook = true;
        beats(3);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        assertThat(one.offers).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OFFERED)).isEqualTo(1);
    }

    @Test
    void moreThanOneLookHolds_theOthersAreOfferedAgain() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        names.lockBlocks = 2;
        heardFor(HOUR_MS);
        for (int i = 1; i <= 5; i++) {
            place(block(i, 1), "/a/" + i, StorageTier.SSD, one);
            one.offers.add(new Offer(block(i, 1), StorageTier.SSD, HOUR_MS));
        }
        beats(1);
        assertThat(one.offers).hasSize(3);
        beats(10);
        assertThat(ordered(one)).hasSize(5);
    }

    @Test
    void offersOfNoUse_theDataNodeIsAskedAgainEverMoreSeldom_untilOneGoes() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        heardFor(HOUR_MS);
        assertThat(one.offersWanted).isNotEmpty();
        int asked = 0;
        for (int i = 2; i < 242; i++) {
            if (!one.offersWanted.isEmpty()) {
                asked++;
                one.offers.add(new Offer(block(i, 1), StorageTier.SSD, HOUR_MS));
            }
            beats(1);
        }
        assertThat(asked).as("in two minutes").isBetween(12, 18);
        assertThat(two.offersWanted).isNotEmpty();
        one.offers.add(new Offer(BLOCK, StorageTier.SSD, HOUR_MS));
        beats(3);
        assertThat(ordered(one)).hasSize(1);
        assertThat(one.offersWanted).isNotEmpty();
        one.offers.add(new Offer(block(1_000, 1), StorageTier.SSD, HOUR_MS));
        beats(1);
        assertThat(one.offersWanted).isEmpty();
        rules("- path: /**", "  tiers: ssd..disk", "  keep: 1h");
        beats(1);
        assertThat(one.offersWanted).isNotEmpty();
    }

    @Test
    void othersUsedHalfOfTheLooks_nothingIsAskedFor() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        heardFor(HOUR_MS);
        names.offersMayLook = false;
        beats(1);
        assertThat(one.offersWanted).isEmpty();
    }

    @Test
    void manyMovesWait_noMoreIsAskedFor() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 1h");
        one.carryOutVolumeMove = (epoch, order) -> null;
        heardFor(HOUR_MS);
        for (int i = 1; i <= 2 * HeartbeatLimits.OFFERS; i++) {
            place(block(i, 1), "/a/" + i, StorageTier.SSD, one);
            one.offers.add(new Offer(block(i, 1), StorageTier.SSD, 2 * HOUR_MS));
        }
        beats(2);
        assertThat(placement.engineStatus().volumeMovesWaiting()).isGreaterThan(HeartbeatLimits.OFFERS);
        assertThat(one.offersWanted).isEmpty();
        assertThat(two.offersWanted).isNotEmpty();
    }

    private String range() {
        return placement.reports().block(nowMs, BLOCK.id(), 5).range();
    }

    @Test
    void waitsForLong_theSweepLeavesItOut_andNothingIsKeptOfItOnceItHasMoved() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one, two);
        heardFor(HOUR_MS);
        one.carryOutVolumeMove = (epoch, order) -> null;
        offer(one, BLOCK, HOUR_MS);
        assertThat(ordered(one)).hasSize(1);
        names.annotationsVersion++; // So that all that is known is looked at.
        waits(10_000);
        assertThat(range()).isNotNull();
        one.result(done(one, 7, one.orders.get(one.orders.size() - 1)));
        beats(2);
        assertThat(range()).isNull();
    }

    @Test
    void offeredByAnotherDataNodeToo_nothingIsKeptOfItOnceBothHaveMoved() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one, two);
        heardFor(HOUR_MS);
        one.carryOutVolumeMove = (epoch, order) -> null;
        offer(one, BLOCK, HOUR_MS);
        offer(two, BLOCK, HOUR_MS);
        assertThat(ordered(two)).hasSize(1);
        one.result(done(one, 7, one.orders.get(one.orders.size() - 1)));
        beats(2);
        assertThat(range()).isNull();
    }

    @Test
    void itsMoveIsWithdrawn_nothingIsKeptOfIt() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 1h");
        place(BLOCK, "/a/1", StorageTier.SSD, one);
        heardFor(HOUR_MS);
        one.carryOutVolumeMove = (epoch, order) -> result(epoch, order, MoveOutcome.NO_ROOM, null);
        offer(one, BLOCK, HOUR_MS);
        assertThat(ordered(one)).hasSize(1);
        assertThat(range()).as("its move waits for room").isNotNull();
        names.leaving.put("one", "it is decommissioned");
        waits(2_000);
        assertThat(lastMove().outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(range()).isNull();
    }
}
