package io.terrace.placement;

import static io.terrace.placement.FakeDataNode.DROP;
import static io.terrace.placement.FakeDataNode.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementEngineTest extends SteppedLoop {

    @Test
    void heartbeat_readCrossesThreshold_answerPromotes() {
        one.reads(block(1, 1), 2);
        assertThat(beat(one).orders()).isEmpty();
        one.reads(block(1, 1), 1);
        assertThat(beat(one).orders()).extracting(FakeDataNode::kind).containsExactly(PROMOTE);
        assertThat(one.memory).containsKey(1L);
        beat(one);
        assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTIONS_DONE)).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES)).isEqualTo(MB);
    }

    @Test
    void heartbeat_standby_answersInactiveAndOrdersNothing() {
        placement.standDown();
        HeartbeatAnswer answer = one.reads(block(1, 1), 99).beat(placement, nowMs);
        assertThat(answer.active()).isFalse();
        assertThat(answer.orders()).isEmpty();
    }

    @Test
    void heartbeat_firstOfDataNode_asksForEverythingResident() {
        one.wantsFull = false;
        assertThat(beat(one).fullWanted()).isTrue();
        assertThat(beat(one).fullWanted()).isFalse();
    }

    @Test
    void promotion_tierFull_dropsOldestJustBefore() {
        warm(one, block(1, 5), block(2, 5));
        one.reads(block(3, 5), 3);
        assertThat(beat(one).orders()).extracting(FakeDataNode::kind).containsExactly(DROP, PROMOTE);
        assertThat(one.orders).extracting(order -> order.block().id()).containsExactly(1L, 3L);
        assertThat(one.memory.keySet()).containsExactly(2L, 3L);
    }

    @Test
    void promotion_ruledOutByNameNode_evictsNothing() {
        warm(one, block(1, 5), block(2, 5));
        names.verdicts.put(3L, Verdict.UNDER_CONSTRUCTION);
        one.reads(block(3, 5), 3);
        assertThat(beat(one).orders()).isEmpty();
        assertThat(one.memory.keySet()).containsExactly(1L, 2L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_UNFIT)).isEqualTo(1);
        // The policy was told: the victim still stands, so it is the victim again once the block is fit.
        names.verdicts.clear();
        nowMs += 2_000;
        one.reads(block(3, 5), 3);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L, 3L);
    }

    @Test
    void promotion_safeMode_waitsAndIsAskedAgain() {
        names.verdicts.put(1L, Verdict.UNKNOWN);
        one.reads(block(1, 1), 3);
        assertThat(beat(one).orders()).isEmpty();
        names.verdicts.clear();
        assertThat(beat(one).orders()).hasSize(1);
    }

    @Test
    void budget_busyDataNode_boundsBytesPerSecond() {
        placement =
                new PlacementEngine(settings(Map.of("terrace.placement.move.bandwidth", "2m")), names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.capacityBytes = 1000 * MB;
        for (int i = 1; i <= 100; i++) {
            one.reads(block(i, 1), 3);
        }
        for (int i = 0; i < 41; i++) {
            beat(one);
        }
        // Ten seconds at 2 MB/s, a second's worth kept from before, and one block into debt.
        assertThat(one.orders.size()).isBetween(20, 23);
        assertThat(one.orders).allMatch(order -> order.bytesPerSecond() == 2 * MB);
    }

    @Test
    void budget_busyDataNode_keepsNoWishWaitingThatCannotGoInTime() {
        placement =
                new PlacementEngine(settings(Map.of("terrace.placement.move.bandwidth", "2m")), names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.capacityBytes = 1000 * MB;
        for (int i = 1; i <= 100; i++) {
            one.reads(block(i, 1), 3);
        }
        beat(one);
        assertThat(placement.engineStatus().waiting()).isBetween(55, 62);
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_HELD_BACK)).isEqualTo(38);
        for (int i = 0; i < 35 * 4; i++) {
            beat(one);
        }
        assertThat(one.memory).as("whatever waited went").hasSize(62);
        assertThat(metricRegistry.value(Metric.PLACEMENT_MOVES_WITHDRAWN)).isZero();
        one.reads(block(100, 1), 3);
        beat(one);
        assertThat(one.memory).as("it is wanted again at the next read").containsKey(100L);
    }

    @Test
    void budget_idleDataNode_hasNoLimit() {
        placement =
                new PlacementEngine(settings(Map.of("terrace.placement.move.bandwidth", "1")), names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.capacityBytes = 1000 * MB;
        one.bytesServed = 0;
        beat(one);
        for (int i = 1; i <= 50; i++) {
            one.reads(block(i, 1), 3);
        }
        for (int i = 0; i < 20; i++) {
            beat(one);
        }
        assertThat(one.memory).hasSize(50);
        assertThat(one.orders).allMatch(order -> order.bytesPerSecond() == 0);
    }

    @Test
    void inFlight_atLimit_sendsNoMore() {
        one.carryOut = order -> MoveOutcome.LOST;
        for (int i = 1; i <= 10; i++) {
            one.reads(block(i, 1), 3);
        }
        for (int i = 0; i < 4; i++) {
            beat(one);
        }
        assertThat(one.orders).hasSize(settings.moves().inFlight());
    }

    @Test
    void home_otherDataNodeReadsMost_copyMovesThere() {
        beat(one);
        warm(two, block(1, 1));
        one.reads(block(1, 1), 10);
        beat(one);
        beat(two);
        beat(one);
        assertThat(one.memory).containsKey(1L);
        assertThat(two.memory).doesNotContainKey(1L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED)).isEqualTo(1);
    }

    @Test
    void home_readsElsewhere_countAtHome() {
        beat(one);
        beat(two);
        one.reads(block(1, 1), 1);
        beat(one);
        two.reads(block(1, 1), 2);
        beat(two);
        beat(one);
        assertThat(one.memory).containsKey(1L);
        assertThat(two.memory).isEmpty();
    }

    @Test
    void pause_requestsAreDroppedAndResumeNeedsNewReads() {
        placement.operatorState(OperatorState.initial().withMoves(false));
        one.reads(block(1, 1), 5);
        assertThat(beat(one).orders()).isEmpty();
        placement.operatorState(OperatorState.initial());
        assertThat(beat(one).orders()).isEmpty();
        one.reads(block(1, 1), 3);
        assertThat(beat(one).orders()).hasSize(1);
    }

    @Test
    void off_answersDoNotServe() {
        placement.operatorState(OperatorState.initial().withServe(false));
        one.reads(block(1, 1), 5);
        HeartbeatAnswer answer = beat(one);
        assertThat(answer.serve()).isFalse();
        assertThat(answer.orders()).isEmpty();
    }

    @Test
    void pin_file_isPromotedAndNeverEvicted() {
        names.files.put(77L, List.of(new Located(block(9, 6), 77, List.of("one", "two"))));
        for (int i = 0; i < 2; i++) {
            beat(one);
            beat(two);
        }
        placement.operatorState(OperatorState.initial().withPin(77, true));
        beat(one);
        beat(one);
        assertThat(one.memory).containsKey(9L);
        for (int i = 1; i <= 8; i++) {
            one.reads(block(i, 2), 3);
            beat(one);
            beat(one);
        }
        assertThat(one.memory).containsKey(9L);
        assertThat(one.usedBytes()).isEqualTo(10 * MB);
        placement.operatorState(OperatorState.initial());
        beat(one);
        one.reads(block(50, 10), 3);
        for (int i = 0; i < 8; i++) {
            beat(one);
        }
        assertThat(one.memory.keySet()).containsExactly(50L);
    }

    @Test
    void cacheDirective_pinnedCopy_isNotThePolicys() {
        one.arrives(block(1, 6), true);
        beat(one);
        one.reads(block(2, 6), 5);
        assertThat(beat(one).orders()).as("only 4 MB are the policy's").isEmpty();
        one.reads(block(3, 4), 5);
        beat(one);
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(1L, 3L);
    }

    @Test
    void demote_residentBlock_dropsIt() {
        warm(one, block(1, 5));
        Refusals refusals = new Refusals();
        assertThat(placement.operator().demote(nowMs, "alice", block(1, 5), refusals))
                .hasSize(1);
        beat(one);
        assertThat(one.memory).isEmpty();
        assertThat(refusals.count()).isZero();
    }

    @Test
    void promote_byOperator_makesRoomAndReportsRefusals() {
        warm(one, block(1, 5), block(2, 5));
        Refusals refusals = new Refusals();
        Located wanted = new Located(block(3, 5), 1, List.of("one"));
        assertThat(placement.operator().promote(nowMs, "alice", wanted, null, refusals))
                .isNotNull();
        beat(one);
        assertThat(one.orderKinds()).containsExactly(DROP, PROMOTE);
        beat(one);
        assertThat(placement.operator().promote(nowMs, "alice", wanted, null, refusals))
                .isNull();
        assertThat(refusals.lines()).singleElement().asString().contains("in memory on host-one:9866 already");
    }

    @Test
    void explain_block_tellsRuleHomeAndMoves() {
        warm(one, block(1, 5));
        BlockReport report = placement.reports().block(nowMs, 1, 5);
        assertThat(report.replicas()).singleElement().satisfies(standing -> {
            assertThat(standing.inMemory()).isTrue();
            assertThat(standing.home()).isTrue();
            assertThat(standing.why()).isNotNull();
            assertThat(standing.why().policy()).isEqualTo("idecider");
        });
        assertThat(report.lastMoves()).singleElement().satisfies(move -> {
            assertThat(move.outcome()).isEqualTo(MoveOutcome.DONE);
            assertThat(move.reason()).isNotEmpty();
        });
    }

    @Test
    void policyParameter_threshold_isFollowed() {
        PlacementSettings eager = settings(Map.of("terrace.placement.idecider.threshold", "0"));
        placement = new PlacementEngine(eager, names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.reads(block(1, 1), 1);
        assertThat(beat(one).orders()).hasSize(1);
    }
}
