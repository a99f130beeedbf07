package io.terrace.placement;

import static io.terrace.placement.FakeDataNode.DROP;
import static io.terrace.placement.FakeDataNode.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.move.HeldBlocks;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator promotes is in memory before the policy may undo it, and for a while after. */
class OperatorPromotionTest extends SteppedLoop {

    private final Refusals refusals = new Refusals();

    @BeforeEach
    void useTheDefaultPolicy() {
        placement = new PlacementEngine(PlacementSettings.from(key -> null), names, metricRegistry);
        placement.activate(9, OperatorState.initial());
        for (int i = 0; i < 5; i++) {
            one.reads(block(1, 5), 2);
            one.reads(block(2, 5), 1);
            beat(one);
        }
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(1L, 2L);
        one.orders.clear();
    }

    private Move promote(StampedBlock block) {
        return placement.operator().promote(nowMs, "alice", new Located(block, 7, List.of("one")), null, refusals);
    }

    private void promoted(StampedBlock block) {
        assertThat(promote(block)).isNotNull();
        beat(one);
        beat(one);
        assertThat(one.memory).containsKey(block.id());
    }

    @Test
    void promote_fullTier_dropsTheColdestAndStays() {
        promoted(block(3, 5));
        assertThat(one.orderKinds()).containsExactly(DROP, PROMOTE);
        for (int i = 0; i < 20; i++) {
            one.reads(block(1, 5), 2);
            one.reads(block(2, 5), 1);
            beat(one);
        }
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(1L, 3L);
        assertThat(placement.reports().block(nowMs, 3, 5).lastMoves())
                .singleElement()
                .satisfies(move -> assertThat(move.outcome()).isEqualTo(MoveOutcome.DONE));
    }

    @Test
    void promote_heldForLongEnough_isThePolicysAgain() {
        promoted(block(3, 5));
        nowMs += HeldBlocks.HOLD_MS;
        placement.turn(nowMs);
        for (int i = 0; i < 20 && one.memory.containsKey(3L); i++) {
            one.reads(block(1, 5), 2);
            one.reads(block(2, 5), 1);
            beat(one);
        }
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void promote_ruledOutByNameNode_evictsNothing() {
        names.verdicts.put(3L, Verdict.UNDER_CONSTRUCTION);
        assertThat(promote(block(3, 5))).isNotNull();
        for (int i = 0; i < 5; i++) {
            beat(one);
            placement.turn(nowMs);
        }
        assertThat(one.orders).isEmpty();
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void promote_moreThanTheMemoryHolds_isRefused() {
        promoted(block(3, 5));
        promoted(block(4, 5));
        assertThat(promote(block(5, 5))).isNull();
        assertThat(refusals.lines()).singleElement().asString().contains("earlier orders to promote reserve");
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(3L, 4L);
    }

    @Test
    void demote_promotedByOperator_dropsItAndFreesTheRoom() {
        promoted(block(3, 5));
        assertThat(placement.operator().demote(nowMs, "alice", block(3, 5), refusals))
                .hasSize(1);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(1L);
        promoted(block(4, 5));
        promoted(block(5, 5));
    }

    @Test
    void promote_leftMemoryByItself_isHeldNoLonger() {
        promoted(block(3, 5));
        promoted(block(4, 5));
        one.leaves(block(3, 5));
        beat(one);
        nowMs += 5_000;
        placement.turn(nowMs);
        promoted(block(5, 5));
        assertThat(one.memory.keySet()).containsExactlyInAnyOrder(4L, 5L);
    }
}
