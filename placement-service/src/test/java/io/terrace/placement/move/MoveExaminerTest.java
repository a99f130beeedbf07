package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.placement.state.BackoffTable;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

class MoveExaminerTest extends DataNodeFixture {

    private static final int INTERVAL_MS = 10_000;

    private final MoveExaminer examiner = new MoveExaminer(clusterState, names, new HomeSelector(clusterState));
    private final MoveDispatcher dispatcher = new MoveDispatcher(clusterState, examiner);

    private List<Long> dispatched() {
        return dispatchedTo(node);
    }

    private List<Long> dispatchedTo(DataNodeState to) {
        examiner.examine(nowMs, to);
        return dispatcher.dispatch(nowMs, to).stream()
                .map(order -> order.block().id())
                .toList();
    }

    private Move promotion(DataNodeState to, StampedBlock block) {
        Move move = moveTracker.promote(nowMs, to, block, Move.Cause.POLICY, "test");
        to.moveQueue().enqueue(move, false);
        return move;
    }

    @Test
    void examine_ofMoreThanMayGoNow_asksAboutThoseThatMay() {
        for (int i = 1; i <= SETTINGS.inFlight() + 3; i++) {
            promotion(block(i, 1));
        }
        drop(block(9, 1));
        examiner.examine(nowMs, node);
        assertThat(names.asked).isEqualTo(SETTINGS.inFlight());
        assertThat(dispatched()).containsExactly(1L, 2L, 9L);
        examiner.examine(nowMs, node);
        assertThat(names.asked).as("there is no place").isEqualTo(SETTINGS.inFlight());
    }

    @Test
    void examine_beyondTheBudget_asksAboutNothing() {
        promotion(block(1, 30));
        promotion(block(2, 1));
        assertThat(dispatched()).containsExactly(1L);
        assertThat(names.asked).isEqualTo(1);
        assertThat(dispatched()).isEmpty();
        assertThat(names.asked).isEqualTo(1);
    }

    @Test
    void examine_blockThatIsGone_isForgotten() {
        names.verdicts.put(1L, Verdict.GONE);
        Move promotion = promotion(block(1, 1));
        clusterState.heat().touch(nowMs, block(1, 1));
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isEqualTo(MoveOutcome.UNFIT);
        assertThat(promotion.message()).isEqualTo(Verdict.GONE.text());
        assertThat(clusterState.heat().find(1)).isNull();
        assertThat(policy.told).containsExactly("1 vanished");
        assertThat(node.backoffTable().untilMs(1)).isEqualTo(nowMs + BackoffTable.FIRST_MS);
    }

    @Test
    void examine_blockThatChanged_leavesACopyOfTheNewContentKnown() {
        StampedBlock old = block(1, 1);
        StampedBlock changed = new StampedBlock(1, old.stamp() + 1, old.lengthBytes());
        names.verdicts.put(1L, Verdict.CHANGED);
        promotion(old);
        resides(changed);
        assertThat(dispatched()).isEmpty();
        assertThat(policy.told).containsExactly("1 stays in " + MEMORY);
    }

    @Test
    void examine_blockThatCanNeverBePromoted_isExcluded() {
        names.verdicts.put(1L, Verdict.ERASURE_CODED);
        promotion(block(1, 1));
        clusterState.heat().touch(nowMs, block(1, 1));
        assertThat(dispatched()).isEmpty();
        assertThat(clusterState.heat().touch(nowMs, block(1, 1)).excluded()).isEqualTo(Verdict.ERASURE_CODED);
        assertThat(policy.told).containsExactly("1 stays in " + BASE);
    }

    @Test
    void examine_inSafeMode_leavesTheMoveWaiting() {
        names.verdicts.put(1L, Verdict.UNKNOWN);
        Move promotion = promotion(block(1, 1));
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isNull();
        names.verdicts.clear();
        assertThat(dispatched()).containsExactly(1L);
    }

    @Test
    void examine_drops_costsNoLook() {
        drop(block(1, 1));
        examiner.examine(nowMs, node);
        assertThat(names.looks).isZero();
    }

    @Test
    void examine_dataNodeThatUsedUpItsLooks_waits() {
        promotion(block(1, 1));
        node.reportQuota().looks().charge(nowMs, node.reportQuota().looks().available(nowMs));
        examiner.examine(nowMs, node);
        assertThat(names.looks).isZero();
        nowMs += 1_000;
        examiner.examine(nowMs, node);
        assertThat(names.looks).isEqualTo(1);
    }

    @Test
    void lookAhead_toHeartbeatsThatAreDue_asksOnceAboutThemAll() {
        promotion(node, block(1, 1));
        promotion(other, block(2, 1));
        examiner.answered(nowMs, node, INTERVAL_MS);
        examiner.answered(nowMs, other, INTERVAL_MS);
        nowMs += INTERVAL_MS - MoveExaminer.AHEAD_MS - 1;
        examiner.lookAhead(nowMs);
        assertThat(names.looks).as("too early").isZero();
        nowMs++;
        examiner.lookAhead(nowMs);
        assertThat(names.looks).isEqualTo(1);
        assertThat(names.asked).isEqualTo(2);
        nowMs += MoveExaminer.AHEAD_MS;
        assertThat(dispatchedTo(node)).containsExactly(1L);
        assertThat(dispatchedTo(other)).containsExactly(2L);
        assertThat(names.looks).as("asked again when the heartbeats came").isEqualTo(1);
    }

    @Test
    void lookAhead_toMoreThanOneHoldMayTake_holdsTheLockSeveralTimes() {
        names.lockBlocks = SETTINGS.inFlight();
        promotion(node, block(1, 1));
        promotion(other, block(2, 1));
        examiner.answered(nowMs, node, 0);
        examiner.answered(nowMs, other, 0);
        examiner.lookAhead(nowMs);
        assertThat(names.looks).isEqualTo(2);
        assertThat(names.asked).isEqualTo(2);
    }

    @Test
    void lookAhead_blockThatIsGone_isNotWantedAnyMore() {
        names.verdicts.put(2L, Verdict.GONE);
        promotion(node, block(1, 1));
        Move gone = promotion(other, block(2, 1));
        examiner.answered(nowMs, node, 0);
        examiner.answered(nowMs, other, 0);
        examiner.lookAhead(nowMs);
        assertThat(gone.outcome()).isEqualTo(MoveOutcome.UNFIT);
        assertThat(dispatchedTo(other)).isEmpty();
        assertThat(dispatchedTo(node)).containsExactly(1L);
    }

    @Test
    void lookAhead_whereNothingWaits_asksAboutNothing() {
        examiner.answered(nowMs, node, 0);
        examiner.lookAhead(nowMs);
        assertThat(names.looks).isZero();
    }
}
