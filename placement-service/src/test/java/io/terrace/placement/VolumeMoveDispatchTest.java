package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How moves between volumes are ordered: budgets, checks, results, retries and what gets lost. */
class VolumeMoveDispatchTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    @BeforeEach
    void rule() {
        rules("- path: /a/**", "  tiers: ssd");
    }

    private void many(FakeDataNode node, int from, int count, long megabytes) {
        for (int i = from; i < from + count; i++) {
            place(block(i, megabytes), "/a/" + i, StorageTier.DISK, node);
            node.reads(block(i, megabytes), 1);
        }
    }

    private void engine(Map<String, String> conf) {
        placement = new PlacementEngine(settings(conf), names, metricRegistry);
        placement.activate(EPOCH, OperatorState.initial());
        beats(1);
        rule();
    }

    @Test
    void inFlight_isBoundedOnEachDataNodeAndInAll() {
        engine(Map.of(
                "terrace.placement.volume.moves.in-flight", "3",
                "terrace.placement.volume.moves.in-flight.total", "5"));
        one.carryOutVolumeMove = (epoch, order) -> null;
        two.carryOutVolumeMove = (epoch, order) -> null;
        many(one, 1, 10, 1);
        many(two, 11, 10, 1);
        waits(5_000);
        assertThat(ordered(one)).hasSize(3);
        assertThat(ordered(two)).hasSize(2);
        assertThat(placement.engineStatus().volumeMovesInFlight()).isEqualTo(5);
        assertThat(placement.engineStatus().volumeMovesWaiting()).isEqualTo(15);
    }

    @Test
    void bytesPerSecond_areBoundedOnEachDataNode_andTheOrderSaysTheRate() {
        engine(Map.of("terrace.placement.volume.bandwidth", "4m"));
        many(one, 1, 40, 2);
        long beganMs = nowMs;
        waits(10_000);
        double seconds = (nowMs - beganMs) / 1000.0;
        assertThat(ordered(one).size() * 2.0).isBetween(4 * seconds - 4, 4 * seconds + 6);
        assertThat(one.orders).allMatch(order -> order.bytesPerSecond() == 4 * MB);
    }

    @Test
    void bytesPerSecond_areBoundedInAll() {
        engine(Map.of("terrace.placement.volume.bandwidth.total", "4m"));
        many(one, 1, 30, 2);
        many(two, 31, 30, 2);
        long beganMs = nowMs;
        waits(10_000);
        double seconds = (nowMs - beganMs) / 1000.0;
        assertThat((ordered(one).size() + ordered(two).size()) * 2.0).isBetween(4 * seconds - 4, 4 * seconds + 6);
        assertThat(ordered(two)).isNotEmpty();
    }

    @Test
    void idleDataNode_hasNoLimit() {
        engine(Map.of("terrace.placement.volume.bandwidth", "1"));
        beats(1);
        one.bytesServed = 0;
        many(one, 1, 10, 2);
        waits(5_000);
        assertThat(ordered(one)).hasSize(10);
        assertThat(one.orders).allMatch(order -> order.bytesPerSecond() == 0);
    }

    @Test
    void dataNodeThatPassedDescriptors_isNotIdle_thoughItServesNothing() {
        engine(Map.of("terrace.placement.volume.bandwidth", "1m"));
        beats(1);
        one.bytesServed = 0;
        one.descriptorsHeld = 1;
        many(one, 1, 10, 1);
        waits(5_000);
        assertThat(one.orders).isNotEmpty().allMatch(order -> order.bytesPerSecond() == 1 << 20);
    }

    @Test
    void figuresLeftOut_areThoseThatTheDataNodeSentBefore() {
        engine(Map.of("terrace.placement.volume.bandwidth", "1m"));
        one.descriptorsHeld = 1;
        one.bytesServed = 0;
        beats(1);
        one.descriptorsHeld = 0;
        one.omitsFigures = true;
        many(one, 1, 10, 1);
        waits(5_000);
        assertThat(one.orders).isNotEmpty().allMatch(order -> order.bytesPerSecond() == 1 << 20);
        assertThat(placement.reports().nodes(nowMs).get(0).figures())
                .containsOnly(Map.entry(Metric.READS_DESCRIPTORS_HELD.id(), 1L));
        one.omitsFigures = false;
        beats(1);
        assertThat(placement.reports().nodes(nowMs).get(0).figures())
                .containsOnly(Map.entry(Metric.READS_DESCRIPTORS_HELD.id(), 0L));
    }

    @Test
    void paused_movesWait() {
        placement.operatorState(OperatorState.initial().withMoves(false));
        many(one, 1, 3, 1);
        waits(5_000);
        assertThat(ordered(one)).isEmpty();
        placement.operatorState(OperatorState.initial());
        waits(1_000);
        assertThat(ordered(one)).hasSize(3);
    }

    @Test
    void noRoom_isTriedAgainWithPauses_thenHeldBack() {
        List<Long> sentMs = new ArrayList<>();
        one.carryOutVolumeMove = (epoch, order) -> {
            sentMs.add(nowMs);
            return result(epoch, order, MoveOutcome.NO_ROOM, StorageTier.DISK);
        };
        many(one, 1, 1, 1);
        waits(15_000);
        assertThat(sentMs).hasSize(4);
        assertThat(sentMs.get(2) - sentMs.get(1)).isGreaterThan(sentMs.get(1) - sentMs.get(0));
        assertThat(one.orders)
                .extracting(MoveOrder::moveId)
                .as("one move")
                .containsOnly(one.orders.get(0).moveId());
        assertThat(lastMove().outcome()).isEqualTo(MoveOutcome.NO_ROOM);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_NO_ROOM)).isEqualTo(1);
    }

    @Test
    void outcomes_areCountedOneByOne_andTheBlockIsHeldBack() {
        Map<MoveOutcome, Metric> metrics = Map.of(
                MoveOutcome.NOT_HERE, Metric.PLACEMENT_VOLUME_MOVES_NOT_HERE,
                MoveOutcome.CHANGED, Metric.PLACEMENT_VOLUME_MOVES_CHANGED,
                MoveOutcome.CORRUPT, Metric.PLACEMENT_VOLUME_MOVES_CORRUPT,
                MoveOutcome.REFUSED, Metric.PLACEMENT_VOLUME_MOVES_REFUSED,
                MoveOutcome.FAILED, Metric.PLACEMENT_VOLUME_MOVES_FAILED);
        int id = 1;
        for (Map.Entry<MoveOutcome, Metric> entry : metrics.entrySet()) {
            one.carryOutVolumeMove = (epoch, order) -> result(epoch, order, entry.getKey(), StorageTier.DISK);
            many(one, id, 1, 1);
            beats(3);
            assertThat(metricRegistry.value(entry.getValue()))
                    .as("%s", entry.getKey())
                    .isEqualTo(1);
            assertThat(placement.reports().block(nowMs, id, 5).replicas().get(0).stays())
                    .contains("failed");
            names.places.remove((long) id++);
        }
    }

    @Test
    void lost_isGivenUp_andAskedForAgain() {
        one.carryOutVolumeMove = (epoch, order) -> null;
        many(one, 1, 1, 1);
        waits(55_000);
        assertThat(ordered(one)).hasSize(1);
        one.carryOutVolumeMove = (epoch, order) -> done(one, epoch, order);
        waits(130_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_LOST)).isEqualTo(1);
        assertThat(ordered(one)).hasSize(2);
        assertThat(tier(block(1, 1), one)).isEqualTo(StorageTier.SSD);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OTHERS)).isZero();
    }

    @Test
    void doneButLost_isNotTakenForOneOfOthers() {
        one.carryOutVolumeMove = (epoch, order) -> {
            done(one, epoch, order);
            return null;
        };
        many(one, 1, 1, 1);
        waits(200_000);
        assertThat(ordered(one)).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_OTHERS)).isZero();
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_LOST)).isEqualTo(1);
    }

    @Test
    void restartedDataNode_itsMovesAreLost() {
        one.carryOutVolumeMove = (epoch, order) -> null;
        many(one, 1, 1, 1);
        beats(3);
        one.restarts();
        beats(1);
        assertThat(lastMove().outcome()).isEqualTo(MoveOutcome.LOST);
        assertThat(lastMove().message()).isEqualTo("the DataNode was restarted");
    }

    @Test
    void resultOfAnEarlierEpoch_isIgnored() {
        List<MoveOrder> sent = new ArrayList<>();
        one.carryOutVolumeMove = (epoch, order) -> {
            sent.add(order);
            return result(epoch - 1, order, MoveOutcome.DONE, StorageTier.SSD);
        };
        many(one, 1, 1, 1);
        beats(4);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RESULTS_STALE)).isEqualTo(1);
        assertThat(placement.engineStatus().volumeMovesInFlight()).isEqualTo(1);
        one.result(result(EPOCH, sent.get(0), MoveOutcome.DONE, StorageTier.SSD));
        beats(1);
        assertThat(lastMove().outcome()).isEqualTo(MoveOutcome.DONE);
    }

    @Test
    void lostAnswer_itsOrdersGoOutAgainUnderTheirIds() {
        place(BLOCK, "/a/1", StorageTier.DISK, one);
        read(one, block(9, 1), 1);
        one.reads(BLOCK, 1);
        nowMs += 250;
        placement.heartbeat(nowMs, one.heartbeat());
        placement.turn(nowMs);
        nowMs += 250;
        HeartbeatAnswer lost = placement.heartbeat(nowMs, one.heartbeat());
        assertThat(lost.orders()).hasSize(1);
        one.wantsFull = true;
        beats(2);
        assertThat(one.orders)
                .extracting(MoveOrder::moveId)
                .containsExactly(lost.orders().get(0).moveId());
        assertThat(tier(BLOCK, one)).isEqualTo(StorageTier.SSD);
    }

    @Test
    void changedMeanwhile_isNotSent() {
        engine(Map.of("terrace.placement.volume.moves.in-flight", "1"));
        one.carryOutVolumeMove = (epoch, order) -> null;
        many(one, 1, 2, 1);
        beats(3);
        assertThat(ordered(one)).hasSize(1);
        waits(6_000); // What the NameNode said does not count any more.
        StampedBlock appended = new StampedBlock(2, 5_000, 2 * MB);
        place(appended, "/a/2", StorageTier.DISK, one);
        one.result(result(EPOCH, one.orders.get(0), MoveOutcome.DONE, StorageTier.SSD));
        beats(2);
        assertThat(ordered(one)).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_UNFIT)).isEqualTo(1);
    }

    @Test
    void movesOfAllDataNodes_areExaminedInOneLook() {
        engine(Map.of("terrace.placement.volume.moves.in-flight", "1"));
        many(one, 1, 3, 1);
        many(two, 11, 3, 1);
        one.carryOutVolumeMove = (epoch, order) -> null;
        two.carryOutVolumeMove = (epoch, order) -> null;
        waits(8_000);
        assertThat(names.placeLooksBy).as("they were just looked at").doesNotContainKey(Asker.ORDERS);
        for (FakeDataNode node : List.of(one, two)) {
            MoveOrder sent = node.orders.get(0);
            node.result(done(node, EPOCH, sent));
        }
        beats(2);
        assertThat(ordered(one)).hasSize(2);
        assertThat(ordered(two)).hasSize(2);
        assertThat(names.placeLooksBy).containsEntry(Asker.ORDERS, 1);
    }

    @Test
    void lockHeldTooLong_ordersAreExaminedAlone() {
        engine(Map.of("terrace.placement.volume.moves.in-flight", "1"));
        many(one, 1, 3, 1);
        many(two, 11, 3, 1);
        one.carryOutVolumeMove = (epoch, order) -> null;
        two.carryOutVolumeMove = (epoch, order) -> null;
        waits(8_000);
        names.mayLook = false;
        for (FakeDataNode node : List.of(one, two)) {
            node.result(done(node, EPOCH, node.orders.get(0)));
        }
        beats(2);
        assertThat(ordered(one)).hasSize(2);
        assertThat(ordered(two)).hasSize(2);
        assertThat(names.placeLooksBy).containsEntry(Asker.ORDERS, 2);
    }

    @Test
    void otherRules_takeBackWhatWaits() {
        engine(Map.of("terrace.placement.volume.moves.in-flight", "1"));
        one.carryOutVolumeMove = (epoch, order) -> null;
        many(one, 1, 3, 1);
        beats(3);
        rules("- path: /a/**", "  tiers: disk");
        beats(3);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_WITHDRAWN))
                .isEqualTo(2);
        assertThat(placement.reports().volumeMoves(10).stream().filter(Move::isSent))
                .hasSize(1);
        assertThat(placement.engineStatus().volumeMovesWaiting()).isZero();
    }

    @Test
    void tooManyForTheQueue_areDecidedOnAgain() {
        engine(Map.of("terrace.placement.volume.moves.waiting", "5"));
        many(one, 1, 50, 1);
        waits(90_000);
        assertThat(ordered(one)).hasSize(50);
    }
}
