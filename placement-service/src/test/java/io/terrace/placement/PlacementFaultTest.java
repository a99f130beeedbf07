package io.terrace.placement;

import static io.terrace.placement.FakeDataNode.DROP;
import static io.terrace.placement.FakeDataNode.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.BackoffTable;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes missing, comes twice, comes late or fails. */
class PlacementFaultTest extends SteppedLoop {

    @Test
    void heartbeat_sentAgain_isAnsweredAlikeAndCountedOnce() {
        beat(one);
        one.reads(block(1, 1), 3);
        Heartbeat heartbeat = one.heartbeat();
        HeartbeatAnswer first = placement.heartbeat(nowMs, heartbeat);
        HeartbeatAnswer again = placement.heartbeat(nowMs + 100, heartbeat);
        assertThat(first.orders()).hasSize(1);
        assertThat(again).isEqualTo(first);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READS)).isEqualTo(3);
    }

    @Test
    void heartbeat_lateFromAProcessThatEnded_isNotCounted_andEndsNothingOfTheNext() {
        beat(one);
        one.reads(block(1, 1), 3);
        Heartbeat late = one.heartbeat();
        placement.heartbeat(nowMs, late);
        one.restarts();
        one.arrives(block(2, 1), false);
        beat(one);
        HeartbeatAnswer answer = placement.heartbeat(nowMs, late);
        assertThat(answer.active()).isFalse();
        assertThat(answer.orders()).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_READS)).isEqualTo(3);
        one.reads(block(2, 1), 1);
        Heartbeat present = one.heartbeat();
        assertThat(placement.heartbeat(nowMs, present).fullWanted()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 250", "25, 250", "50, 500", "100, 1000", "1000, 1000", "1500, 1500"})
    void manyDataNodes_sendLessOften_toAStandbyToo(int nodes, int intervalMs) {
        int answered = 0;
        for (int i = 0; i < nodes; i++) {
            answered = new FakeDataNode("dn" + i, MB).beat(placement, nowMs).intervalMs();
        }
        assertThat(answered).isEqualTo(intervalMs);
        placement.standDown();
        assertThat(new FakeDataNode("dn0", MB).beat(placement, nowMs).intervalMs())
                .isEqualTo(intervalMs);
    }

    @Test
    void promotion_noRoomYet_isTriedAgain() {
        one.carryOut = order -> one.orders.size() < 3 ? MoveOutcome.NO_ROOM : null;
        one.reads(block(1, 1), 3);
        for (int i = 0; i < 12; i++) {
            beat(one);
        }
        assertThat(one.orderKinds()).containsExactly(PROMOTE, PROMOTE, PROMOTE);
        assertThat(one.memory).containsKey(1L);
    }

    @Test
    void promotion_fails_isHeldBackFromFreshReads() {
        one.carryOut = order -> MoveOutcome.FAILED;
        one.reads(block(1, 1), 3);
        beat(one);
        beat(one);
        one.reads(block(1, 1), 3);
        beat(one);
        assertThat(one.orders).hasSize(1);
        one.carryOut = order -> null;
        nowMs += BackoffTable.FIRST_MS;
        one.reads(block(1, 1), 3);
        beat(one);
        assertThat(one.memory).containsKey(1L);
    }

    @Test
    void heat_newerStamp_countsAnew() {
        one.reads(block(1, 1), 2);
        beat(one);
        one.reads(new StampedBlock(1, 5000, 2 * MB), 1);
        beat(one);
        one.reads(block(1, 1), 5);
        assertThat(beat(one).orders()).as("heat of the old stamp").isEmpty();
        one.reads(new StampedBlock(1, 5000, 2 * MB), 2);
        assertThat(beat(one).orders()).extracting(MoveOrder::block).containsExactly(new StampedBlock(1, 5000, 2 * MB));
    }

    @Test
    void result_ofEarlierEpochOrNone_isIgnored() {
        one.carryOut = order -> MoveOutcome.LOST;
        one.reads(block(1, 1), 3);
        beat(one);
        one.result(one.orders.get(0), 6, MoveOutcome.DONE);
        one.result(one.orders.get(0), 0, MoveOutcome.DONE);
        beat(one);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RESULTS_STALE)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTIONS_DONE)).isZero();
    }

    @Test
    void activate_epochNotHigher_isRefused() {
        assertThatThrownBy(() -> placement.activate(7, OperatorState.initial()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void answerLost_ordersGoOutAgainAtOnce() {
        warm(one, block(1, 5), block(2, 5));
        one.reads(block(3, 5), 3);
        nowMs += 250;
        HeartbeatAnswer lost = placement.heartbeat(nowMs, one.heartbeat());
        assertThat(lost.orders()).hasSize(2);
        one.wantsFull = true; // What a DataNode does that got no answer.
        assertThat(beat(one).orders()).isEqualTo(lost.orders());
        assertThat(one.memory.keySet()).containsExactly(2L, 3L);
    }

    @Test
    void silence_beyondExpiry_endsMovesAndHome() {
        one.carryOut = order -> MoveOutcome.LOST;
        one.reads(block(1, 1), 3);
        beat(one);
        nowMs += settings.heartbeats().expiryMs() + 1;
        placement.turn(nowMs);
        assertThat(placement.engineStatus().inFlight()).isZero();
        assertThat(placement.engineStatus().silent()).isEqualTo(1);
        two.reads(block(1, 1), 3);
        beat(two);
        assertThat(two.memory).containsKey(1L);
        nowMs += settings.heartbeats().forgetMs() + 1;
        placement.turn(nowMs);
        assertThat(placement.engineStatus().datanodes()).isZero();
    }

    @Test
    void restartOfDataNode_losesResidentsAndStartsAfresh() {
        warm(one, block(1, 5), block(2, 5));
        one.restarts();
        beat(one);
        assertThat(placement.engineStatus().resident()).isZero();
        one.reads(block(3, 5), 3);
        beat(one);
        assertThat(one.orderKinds()).as("room was free").containsExactly(PROMOTE);
    }

    @Test
    void restartOfService_learnsResidentsFromFullReport() {
        warm(one, block(1, 5), block(2, 5));
        placement = new PlacementEngine(settings, names, metricRegistry);
        placement.activate(9, OperatorState.initial());
        assertThat(beat(one).fullWanted()).isTrue();
        beat(one);
        assertThat(placement.engineStatus().resident()).isEqualTo(2);
        one.reads(block(3, 5), 3);
        beat(one);
        assertThat(one.orderKinds()).containsExactly(DROP, PROMOTE);
    }

    @Test
    void residency_leftByItself_policyForgets() {
        warm(one, block(1, 5), block(2, 5));
        one.leaves(block(1, 5));
        beat(one);
        one.reads(block(3, 5), 3);
        beat(one);
        assertThat(one.orderKinds()).containsExactly(PROMOTE);
    }

    @Test
    void examination_manyCandidates_isBoundedPerLook() {
        placement = new PlacementEngine(settings, names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.capacityBytes = 10_000 * MB;
        for (int i = 1; i <= 1000; i++) {
            one.reads(block(i, 1), 3);
        }
        beat(one);
        assertThat(names.mostInOneLook).isPositive().isLessThanOrEqualTo(names.lockBlocks());
        assertThat(placement.engineStatus().waiting())
                .isLessThanOrEqualTo(settings.moves().waiting());
    }
}
