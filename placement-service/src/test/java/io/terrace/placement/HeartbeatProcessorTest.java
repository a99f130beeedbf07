package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeartbeatProcessorTest extends HeartbeatProcessorFixture {
    @Test
    void result_thatIsNotOfAnOpenOrder_isStale() {
        Move move = sent(promotion(BLOCK));
        processor.results(
                nowMs,
                EPOCH,
                node,
                List.of(
                        new Result(move.id(), EPOCH - 1, MoveOutcome.DONE, BLOCK, 0, 0, null),
                        new Result(move.id() + 1, EPOCH, MoveOutcome.DONE, BLOCK, 0, 0, null),
                        new Result(move.id(), EPOCH, MoveOutcome.DONE, new StampedBlock(1, 5, MB), 0, 0, null)));
        assertThat(metricRegistry.value(Metric.PLACEMENT_RESULTS_STALE)).isEqualTo(3);
        assertThat(node.moveQueue().inFlight(move.id())).isSameAs(move);
        assertThat(policy.told).isEmpty();
    }

    @Test
    void promotionDone_isConfirmedToThePolicyAndResidentOnceItIsReported() {
        Move move = sent(promotion(BLOCK));
        result(move, MoveOutcome.DONE);
        assertThat(move.outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(move.bytesMoved()).isEqualTo(10);
        assertThat(policy.told).containsExactly("1 moved to " + MEMORY);
        assertThat(node.residents().holds(1)).isFalse();
        result(move, MoveOutcome.DONE);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RESULTS_STALE)).isEqualTo(1);
    }

    @Test
    void promotionDone_ofACopyThatHasLeftAgain_isNotWhatThePolicyKnows() {
        Move move = sent(promotion(BLOCK));
        result(move, MoveOutcome.DONE);
        reports(false, left(BLOCK));
        assertThat(policy.told).containsExactly("1 moved to " + MEMORY, "1 moved to " + BASE);
    }

    @Test
    void result_thatTheBlockChanged_leavesACopyOfTheNewContentKnown() {
        Move move = sent(promotion(BLOCK));
        resides(new StampedBlock(1, BLOCK.stamp() + 1, MB));
        result(move, MoveOutcome.CHANGED);
        assertThat(policy.told).containsExactly("1 stays in " + MEMORY);
    }

    @Test
    void reservedBytes_ofABlockWithAPinAndADirective_countOnce() {
        node.residents().put(new Resident(BLOCK, nowMs, true));
        node.residents().pin(BLOCK);
        assertThat(node.residents().reservedBytes()).isEqualTo(BLOCK.lengthBytes());
        node.residents().unpin(1);
        assertThat(node.residents().reservedBytes()).isEqualTo(BLOCK.lengthBytes());
        node.residents().pin(BLOCK);
        assertThat(node.residents().remove(1)).isNotNull();
        assertThat(node.residents().reservedBytes()).isEqualTo(BLOCK.lengthBytes());
        node.residents().unpin(1);
        assertThat(node.residents().reservedBytes()).isZero();
    }

    /** A service that has just begun hears of reads before it hears what is resident. */
    @Test
    void waitingPromotion_ofWhatTurnsOutToBeResident_endsAndThePolicyKnows() {
        Move move = promotion(BLOCK);
        reports(true, arrived(BLOCK));
        assertThat(move.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(policy.told).containsExactly("1 stays in " + MEMORY);
    }

    @Test
    void withdrawnPromotion_ofAResidentBlock_leavesThePolicyKnowingIt() {
        Move move = promotion(BLOCK);
        node.residents().put(new Resident(BLOCK, nowMs, false));
        clusterState.moveTracker().withdraw(nowMs, node, move, MoveOutcome.EXPIRED, "", false);
        assertThat(policy.told).containsExactly("1 stays in " + MEMORY);
    }

    @Test
    void dropDone_takesTheCopyAwayAndCountsOneThatServedNothing() {
        Move unused = sent(drop(BLOCK));
        Move used = sent(drop(block(2, 1)));
        node.residents().find(2).bytesServed = 1;
        result(unused, MoveOutcome.DONE);
        result(used, MoveOutcome.DONE);
        assertThat(policy.told).containsExactly("1 moved to " + BASE, "2 moved to " + BASE);
        assertThat(node.residents().size()).isZero();
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_UNPAID)).isEqualTo(1);
    }

    @Test
    void noRoom_isTriedAgainAfterAPauseAFewTimes() {
        Move move = promotion(BLOCK);
        for (int attempt = 1; attempt < HeartbeatProcessor.NO_ROOM_ATTEMPTS; attempt++) {
            result(sent(move), MoveOutcome.NO_ROOM);
            assertThat(move.outcome()).isNull();
            assertThat(move.isDue(nowMs)).isFalse();
            assertThat(move.isDue(nowMs + (HeartbeatProcessor.NO_ROOM_PAUSE_MS << (attempt - 1))))
                    .isTrue();
        }
        result(sent(move), MoveOutcome.NO_ROOM);
        assertThat(move.outcome()).isEqualTo(MoveOutcome.NO_ROOM);
        assertThat(policy.told).containsExactly("1 stays in " + BASE);
    }

    @Test
    void noRoom_forWhatIsNotWantedAnyMore_isNotTriedAgain() {
        Move move = sent(promotion(BLOCK));
        move.overtaken(true);
        result(move, MoveOutcome.NO_ROOM);
        assertThat(move.outcome()).isEqualTo(MoveOutcome.NO_ROOM);
    }

    @Test
    void failure_holdsTheBlockBackAndCorrectsThePolicy() {
        result(sent(promotion(BLOCK)), MoveOutcome.FAILED);
        result(sent(drop(block(2, 1))), MoveOutcome.REFUSED);
        assertThat(policy.told).containsExactly("1 stays in " + BASE, "2 stays in " + MEMORY);
        assertThat(node.backoffTable().holdsBack(nowMs, 1)).isTrue();
        assertThat(node.backoffTable().holdsBack(nowMs, 2)).isTrue();
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_FAILED)).isEqualTo(2);
    }

    @Test
    void blockThatChanged_vanishes() {
        result(sent(promotion(BLOCK)), MoveOutcome.CHANGED);
        assertThat(policy.told).containsExactly("1 vanished");
        assertThat(node.backoffTable().holdsBack(nowMs, 1)).isFalse();
    }

    @Test
    void copyThatIsPinned_isReservedAndNoLongerThePolicys() {
        long before = policy.capacityBytes;
        result(sent(drop(block(1, 3))), MoveOutcome.PINNED);
        assertThat(policy.told).containsExactly("1 vanished");
        assertThat(node.residents().isPinned(1)).isTrue();
        assertThat(policy.capacityBytes).isEqualTo(before - 3 * MB);
    }

    @Test
    void orderThatThePolicyTookBackMeanwhile_isFollowedByTheOpposite() {
        Move move = sent(promotion(BLOCK));
        move.overtaken(true);
        result(move, MoveOutcome.DONE);
        Move next = node.moveQueue().open(1);
        assertThat(next.isPromotion()).isFalse();
        assertThat(next.from()).isEqualTo(MEMORY);
        assertThat(next.to()).isEqualTo(BASE);
        assertThat(node.moveQueue().waiting()).containsExactly(next);
        assertThat(policy.told).isEmpty();
    }

    @Test
    void arrival_thatWasNotOrdered_isToldToThePolicyOnce() {
        reports(false, arrived(BLOCK));
        assertThat(policy.told).containsExactly("1 stays in " + MEMORY);
        assertThat(clusterState.heat().find(1).home()).isSameAs(node);
        node.residents().find(1).bytesServed = 5;
        reports(false, arrived(BLOCK));
        assertThat(policy.told).hasSize(1);
        assertThat(node.residents().find(1).bytesServed).isEqualTo(5);
    }

    @Test
    void arrival_ofAnOrder_isLeftToItsResult() {
        sent(promotion(BLOCK));
        reports(false, arrived(BLOCK));
        assertThat(policy.told).isEmpty();
        assertThat(node.residents().holds(1)).isTrue();
    }

    @Test
    void arrival_ofAPinnedCopy_takesItsRoomFromThePolicy() {
        long before = policy.capacityBytes;
        reports(false, new Residency(block(1, 3), true, true));
        assertThat(policy.told).containsExactly("1 vanished");
        assertThat(policy.capacityBytes).isEqualTo(before - 3 * MB);
        reports(false, new Residency(block(1, 3), true, false));
        assertThat(policy.told).containsExactly("1 vanished", "1 stays in " + MEMORY);
        assertThat(policy.capacityBytes).isEqualTo(before);
    }

    @Test
    void arrival_whereTheBlocksHomeHasACopy_isDropped() {
        clusterState.heat().touch(nowMs, BLOCK).home(other);
        other.residents().put(new Resident(BLOCK, nowMs, false));
        reports(false, arrived(BLOCK));
        Move drop = node.moveQueue().open(1);
        assertThat(drop.cause()).isEqualTo(Cause.MOVED_HOME);
        assertThat(drop.isPromotion()).isFalse();
    }

    @Test
    void arrivals_beyondWhatIsTracked_areCutAndCounted() {
        for (int i = 1; i <= TRACKED_BLOCKS + 1; i++) {
            reports(false, arrived(block(i, 1)));
        }
        assertThat(node.residents().size()).isEqualTo(TRACKED_BLOCKS);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isEqualTo(1);
    }

    @Test
    void copyThatLeft_vanishesAndItsWaitingDropIsCancelled() {
        Move drop = drop(BLOCK);
        reports(false, left(BLOCK));
        assertThat(drop.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(policy.told).containsExactly("1 vanished");
        assertThat(node.residents().holds(1)).isFalse();
    }

    @Test
    void copyThatLeft_underAnOrder_isLeftToItsResult() {
        Move drop = sent(drop(BLOCK));
        reports(false, left(BLOCK));
        assertThat(drop.outcome()).isNull();
        assertThat(policy.told).isEmpty();
        result(drop, MoveOutcome.DONE);
        assertThat(policy.told).containsExactly("1 moved to " + BASE);
    }

    @Test
    void fullReport_takesAwayWhatIsNotInItOnceItsLastPageIsHere() {
        resides(BLOCK);
        List<Residency> page = new ArrayList<>();
        for (int i = 0; i < HeartbeatLimits.ENTRIES; i++) {
            page.add(arrived(block(2, 1)));
        }
        processor.residency(nowMs, node, page, true);
        assertThat(node.residents().holds(1)).isTrue();
        reports(false, arrived(block(3, 1)));
        assertThat(node.residents().ids()).containsExactlyInAnyOrder(2L, 3L);
        assertThat(policy.told).contains("1 vanished");
    }

    /** A service that has just begun has a block promoted that is there, and that leaves before the first report. */
    @Test
    void firstReport_withoutWhatAResultPromised_tellsThePolicy() {
        result(sent(promotion(BLOCK)), MoveOutcome.DONE);
        reports(true);
        assertThat(policy.told).containsExactly("1 moved to " + MEMORY, "1 moved to " + BASE);
        reports(true);
        assertThat(policy.told).hasSize(2);
    }

    @Test
    void fullReport_withWhatAResultPromised_takesNothingAway() {
        result(sent(promotion(BLOCK)), MoveOutcome.DONE);
        reports(false, arrived(BLOCK));
        reports(true, arrived(BLOCK));
        assertThat(policy.told).doesNotContain("1 moved to " + BASE);
        assertThat(node.residents().holds(1)).isTrue();
    }
}
