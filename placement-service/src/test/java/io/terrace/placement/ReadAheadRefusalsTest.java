package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Blocks that are not copied ahead, though they are read in turn. */
class ReadAheadRefusalsTest extends ReadAheadHoldersFixture {
    @Test
    void rule_thatForbids_endsCopiesAheadAndMakesNoOthers() {
        learn();
        read(FILE, 0, 8, a);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /day/**, place: never}]"));
        read(FILE, 8, BLOCKS, a);
        read(11, 0, BLOCKS, a);
        pass(130_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isLessThanOrEqualTo(ordered + 1);
        assertThat(copies(a, FILE) + copies(b, FILE) + copies(a, 11) + copies(b, 11))
                .isZero();
    }

    @Test
    void blocks_thatARuleForbids_areLookedUpOnce() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /day/**, place: never}]"));
        for (int i = 0; i < 10; i++) {
            a.reads(block(5, 7), 1);
            step();
        }
        assertThat(names.pathLooks).isEqualTo(1);
    }

    @Test
    void blocks_thatAreErasureCoded_areLookedUpOnce() {
        names.verdicts.put(block(5, 7).id(), Verdict.ERASURE_CODED);
        a.reads(block(5, 7), 3);
        names.named.remove(block(5, 7).id()); // So their file is not found.
        for (int i = 0; i < 10; i++) {
            step();
            a.reads(block(5, 7), 3);
        }
        assertThat(names.pathLooks).isEqualTo(1);
    }

    @Test
    void wishes_madeWhileMovesArePaused_areNotOrderedOnceNobodyWaits() {
        learn();
        placement.operatorState(OperatorState.initial().withMoves(false));
        read(FILE, 0, 10, a);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        pass(200_000);
        placement.operatorState(OperatorState.initial());
        pass(10_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isEqualTo(ordered);
        assertThat(copies(a, FILE) + copies(b, FILE)).isZero();
        read(11, 0, BLOCKS, a);
        assertThat(copies(a, 11) + copies(b, 11)).isGreaterThan(10);
    }

    /** Orders that were not sent wait for the end of the pause too. */
    @Test
    void orders_thatWaitForAnEndOfThePause_areWithdrawnOnceNobodyWaits() {
        learn();
        read(FILE, 0, 6, a);
        a.carryOut = order -> MoveOutcome.LOST;
        for (int file = 20; file < 26; file++) {
            read(file, 0, 6, a); // Orders in flight fill the queue, so others wait.
        }
        a.carryOut = order -> null;
        placement.operatorState(OperatorState.initial().withMoves(false));
        pass(200_000);
        a.orders.clear();
        placement.operatorState(OperatorState.initial());
        step();
        step();
        assertThat(a.orders.stream().filter(MoveOrder::isPromotion)).isEmpty();
    }

    @Test
    void blocks_inMemory_areNotWishedAgain() {
        learn();
        read(FILE, 0, BLOCKS, a);
        read(FILE, 0, BLOCKS, a);
        int looks = names.looks;
        long refused = value(Metric.PLACEMENT_READ_AHEAD_REFUSED);
        read(FILE, 0, 3, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_REFUSED)).isEqualTo(refused);
        assertThat(names.looks - looks).isLessThanOrEqualTo(3);
    }

    /** A block ahead was appended to since its file was looked up. */
    @Test
    void heat_ofANewerBlockThanTheOneLookedUp_stays() {
        learn();
        read(FILE, 0, 2, a);
        StampedBlock old = block(FILE, 8);
        StampedBlock newer = new StampedBlock(old.id(), old.stamp() + 1, old.lengthBytes() + 5);
        b.reads(newer, 2);
        step();
        read(FILE, 2, 7, a);
        assertThat(placement.reports().block(nowMs, old.id(), 1).heat()).satisfies(heat -> {
            assertThat(heat.block()).isEqualTo(newer);
            assertThat(heat.reads()).isEqualTo(2);
        });
    }

    /** A wish that is refused leaves no trace. */
    @Test
    void heat_ofBlocksWhoseCopiesAreRefused_isNotMade() {
        blockMb = 300; // Beyond the bytes that may be in vain at first.
        start(new FakeDataNode("c", 8_192 * MB), new FakeDataNode("d", 8_192 * MB));
        for (int file = 1; file <= 4; file++) {
            read(file, 0, BLOCKS, cluster.get(0));
        }
        read(FILE, 0, 3, cluster.get(0));
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_REFUSED)).isPositive();
        for (int index = 4; index < BLOCKS; index++) {
            assertThat(placement
                            .reports()
                            .block(nowMs, block(FILE, index).id(), 1)
                            .heat())
                    .isNull();
        }
    }

    @Test
    void copies_thatTakeLong_areNotMadeForAWhile() {
        learn();
        List<MoveOrder> held = new ArrayList<>();
        for (FakeDataNode node : cluster) {
            node.carryOut = order -> {
                if (order.isPromotion()) {
                    held.add(order);
                    return MoveOutcome.LOST;
                }
                return null;
            };
        }
        read(FILE, 0, 8, a);
        assertThat(held).isNotEmpty();
        pass(50_000);
        for (MoveOrder order : held) {
            FakeDataNode node = a.orders.contains(order) ? a : b;
            node.arrives(order.block(), false);
            node.result(order, 7, MoveOutcome.DONE);
        }
        cluster.forEach(node -> node.carryOut = order -> null);
        read(FILE, 8, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_COPY_MS)).isGreaterThan(6_000);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        read(11, 0, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isEqualTo(ordered);
        pass(3_600_000);
        read(12, 0, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isGreaterThan(ordered);
    }
}
