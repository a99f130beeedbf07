package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.MoveQueue;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

class MoveDispatcherTest extends DataNodeFixture {

    private final MoveExaminer examiner = new MoveExaminer(clusterState, names, new HomeSelector(clusterState));
    private final MoveDispatcher dispatcher = new MoveDispatcher(clusterState, examiner);

    private List<Long> dispatched() {
        examiner.examine(nowMs, node);
        return dispatcher.dispatch(nowMs, node).stream()
                .map(order -> order.block().id())
                .toList();
    }

    @Test
    void dispatch_promotion_goesJustAfterWhatMakesRoomForIt() {
        Move waits = drop(block(1, 1));
        Move promotion = promotion(block(2, 1));
        resides(block(3, 1));
        promotion
                .victims()
                .add(moveTracker.drop(nowMs, node, block(3, 1), Move.Cause.POLICY, "room for the promotion"));
        assertThat(dispatched()).containsExactly(1L, 3L, 2L);
        assertThat(promotion.victims()).isEmpty();
        assertThat(waits.isSent()).isTrue();
        assertThat(node.moveQueue().inFlightCount()).isEqualTo(3);
        assertThat(node.moveQueue().waitingCount()).isZero();
    }

    @Test
    void dispatch_promotionThatWasNotLookedUp_waits() {
        promotion(block(1, 1));
        assertThat(dispatcher.dispatch(nowMs, node)).isEmpty();
        assertThat(dispatched()).containsExactly(1L);
    }

    @Test
    void dispatch_verdictThatIsOld_isAskedForAgain() {
        promotion(block(1, 1));
        examiner.examine(nowMs, node);
        nowMs += MoveExaminer.VERDICT_VALID_MS + 1;
        assertThat(dispatcher.dispatch(nowMs, node)).isEmpty();
        assertThat(dispatched()).containsExactly(1L);
        assertThat(names.looks).isEqualTo(2);
    }

    @Test
    void dispatch_beyondTheBudget_lendsOneMoveAndWaitsForTheDebt() {
        promotion(block(1, 30));
        promotion(block(2, 1));
        examiner.examine(nowMs, node);
        List<MoveOrder> orders = dispatcher.dispatch(nowMs, node);
        assertThat(orders).extracting(order -> order.block().id()).containsExactly(1L);
        assertThat(orders.get(0).bytesPerSecond()).isEqualTo(SETTINGS.bytesPerSecond());
        nowMs += 1_999;
        assertThat(dispatched()).isEmpty();
        nowMs += 2;
        assertThat(dispatched()).containsExactly(2L);
    }

    @Test
    void dispatch_toAnIdleDataNode_hasNoLimit() {
        nowMs += 1_000;
        heartbeat(node, 2, true, 0);
        promotion(block(1, 30));
        promotion(block(2, 30));
        examiner.examine(nowMs, node);
        assertThat(dispatcher.dispatch(nowMs, node)).hasSize(2).allSatisfy(order -> assertThat(order.bytesPerSecond())
                .isZero());
    }

    @Test
    void dispatch_addsNothingToWhatIsInFlightBeyondTheLimit() {
        for (int i = 1; i <= SETTINGS.inFlight() + 1; i++) {
            promotion(block(i, 1));
        }
        drop(block(9, 1));
        assertThat(dispatched()).containsExactly(1L, 2L, 9L);
    }

    @Test
    void dispatch_toADataNodeThatDoesNotServe_sendsDropsAlone() {
        heartbeat(node, 2, false, 1L << 40);
        promotion(block(1, 1));
        drop(block(2, 1));
        assertThat(dispatched()).containsExactly(2L);
    }

    @Test
    void dispatch_promotionThatWaitedTooLong_isGivenUp() {
        heartbeat(node, 2, false, 1L << 40);
        Move promotion = promotion(block(1, 1));
        resides(block(3, 1));
        Move victim = moveTracker.drop(nowMs, node, block(3, 1), Move.Cause.POLICY, "room for the promotion");
        promotion.victims().add(victim);
        nowMs += SETTINGS.waitMs();
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isNull();
        nowMs++;
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isEqualTo(MoveOutcome.EXPIRED);
        assertThat(victim.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(policy.told).containsExactly("1 stays in " + BASE, "3 stays in " + MEMORY);
    }

    @Test
    void dispatch_promotionOfAPolicyThatIsTheHomeNoMore_isWithdrawn() {
        Move promotion = promotion(block(1, 1));
        clusterState.heat().touch(nowMs, block(1, 1)).home(other);
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(promotion.message()).isEqualTo("its home has moved");
        assertThat(policy.told).containsExactly("1 stays in " + BASE);
    }

    @Test
    void dispatch_promotionThatAnOperatorWants_goesWhereverTheHomeIs() {
        node.moveQueue()
                .enqueue(
                        moveTracker.promote(nowMs, node, block(1, 1), Move.Cause.OPERATOR, "an operator wanted it"),
                        true);
        clusterState.heat().touch(nowMs, block(1, 1)).home(other);
        assertThat(dispatched()).containsExactly(1L);
    }

    @Test
    void sendAgain_ofAnOrderWhoseHomeMovedMeanwhile_withdrawsIt() {
        Move promotion = promotion(block(1, 1));
        clusterState.heat().touch(nowMs, block(1, 1)).home(node);
        examiner.examine(nowMs, node);
        answered(dispatcher.dispatch(nowMs, node));
        clusterState.heat().touch(nowMs, block(1, 1)).home(other);
        dispatcher.sendAgain(node);
        assertThat(dispatched()).isEmpty();
        assertThat(promotion.outcome()).isEqualTo(MoveOutcome.CANCELLED);
    }

    @Test
    void dispatch_manyDrops_leavesSomeForTheNextAnswer() {
        for (int i = 1; i <= MoveQueue.ORDERS_PER_ANSWER + 1; i++) {
            drop(block(i, 1));
        }
        assertThat(dispatched()).hasSize(MoveQueue.ORDERS_PER_ANSWER);
        assertThat(dispatched()).containsExactly(MoveQueue.ORDERS_PER_ANSWER + 1L);
    }

    private void makesRoomFor(Move promotion, int count) {
        for (int i = 0; i < count; i++) {
            StampedBlock victim = block(1000 + i, 1);
            resides(victim);
            moveTracker
                    .drop(nowMs, node, victim, Move.Cause.POLICY, "room for the promotion")
                    .makesRoomFor(promotion);
        }
    }

    @Test
    void dispatch_promotionForWhichThereIsNoPlaceLeft_isFirstInTheNextAnswer() {
        for (int i = 1; i < MoveQueue.ORDERS_PER_ANSWER; i++) {
            drop(block(i, 1));
        }
        makesRoomFor(promotion(block(500, 1)), 1);
        assertThat(dispatched()).hasSize(MoveQueue.ORDERS_PER_ANSWER - 1).doesNotContain(1000L);
        assertThat(dispatched()).containsExactly(1000L, 500L);
    }

    @Test
    void dispatch_promotionForWhichMoreLeavesThanOneAnswerHasPlacesFor_followsAfterThem() {
        makesRoomFor(promotion(block(500, 1)), 2 * MoveQueue.ORDERS_PER_ANSWER + 1);
        assertThat(dispatched()).hasSize(MoveQueue.ORDERS_PER_ANSWER).doesNotContain(500L);
        assertThat(dispatched()).hasSize(MoveQueue.ORDERS_PER_ANSWER).doesNotContain(500L);
        assertThat(dispatched()).containsExactly(1000L + 2 * MoveQueue.ORDERS_PER_ANSWER, 500L);
    }

    private void answered(List<MoveOrder> orders) {
        node.session().answered(new HeartbeatAnswer(true, 7, true, false, orders, 250));
    }

    @Test
    void sendAgain_ordersOfALostAnswer_goOutUnderTheirOldIds() {
        drop(block(1, 1));
        drop(block(2, 1));
        List<MoveOrder> lost = dispatcher.dispatch(nowMs, node);
        answered(lost);
        drop(block(3, 1));
        dispatcher.sendAgain(node);
        List<MoveOrder> again = dispatcher.dispatch(nowMs, node);
        assertThat(again).extracting(order -> order.block().id()).containsExactly(1L, 2L, 3L);
        assertThat(again.subList(0, 2)).isEqualTo(lost);
    }

    @Test
    void sendAgain_ofAnOrderThatGotItsResult_doesNothing() {
        Move drop = drop(block(1, 1));
        answered(dispatcher.dispatch(nowMs, node));
        moveTracker.end(nowMs, node, drop, MoveOutcome.DONE, "done", 0);
        dispatcher.sendAgain(node);
        assertThat(dispatcher.dispatch(nowMs, node)).isEmpty();
    }

    @Test
    void sendAgain_ofOneThatNeverArrives_endsSomeTime() {
        drop(block(1, 1));
        int sent = 0;
        for (List<MoveOrder> orders = dispatcher.dispatch(nowMs, node);
                !orders.isEmpty() && sent < 100;
                orders = dispatcher.dispatch(nowMs, node)) {
            sent++;
            answered(orders);
            dispatcher.sendAgain(node);
        }
        assertThat(sent).isEqualTo(10);
        assertThat(node.moveQueue().inFlightCount())
                .as("it waits for its result until that is late")
                .isEqualTo(1);
    }

    @Test
    void expire_orderWithoutAResult_isLostAfterTheTimeItsBytesTake() {
        Move promotion = promotion(block(1, 10));
        dispatched();
        nowMs += SETTINGS.timeoutMs() + promotion.block().lengthBytes() / 10_000;
        dispatcher.expire(nowMs, node);
        assertThat(promotion.outcome()).isNull();
        nowMs++;
        dispatcher.expire(nowMs, node);
        assertThat(promotion.outcome()).isEqualTo(MoveOutcome.LOST);
        assertThat(policy.told).containsExactly("1 stays in " + BASE);
        assertThat(node.backoffTable().holdsBack(nowMs, 1)).isTrue();
    }

    @Test
    void abandon_losesWhatWasSentAndCancelsWhatWaits() {
        Move sent = drop(block(1, 1));
        dispatched();
        Move waits = promotion(block(2, 1));
        dispatcher.abandon(nowMs, node, "the DataNode fell silent");
        assertThat(sent.outcome()).isEqualTo(MoveOutcome.LOST);
        assertThat(waits.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(List.of(sent, waits)).extracting(Move::message).containsOnly("the DataNode fell silent");
        assertThat(policy.told).containsExactlyInAnyOrder("1 stays in " + MEMORY, "2 stays in " + BASE);
        assertThat(node.moveQueue().all()).isEmpty();
    }
}
