package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.move.HeldBlocks;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A rule that says {@code write: memory}. A quarter of a DataNode's memory is 2.5 MB here. */
class WrittenPlacementTest extends SteppedLoop {

    private static final StampedBlock BLOCK = block(1, 1);

    @BeforeEach
    void wantWrittenBlocksInMemory() {
        placement.policy(nowMs, applied("policy: adaptive", "rules: [{path: /out/**, write: memory}]"));
        for (int id = 1; id < 9; id++) {
            name(block(id, 1), 100 + id, "/out/part-" + id);
        }
        name(block(21, 5), 121, "/data/1");
        name(block(22, 5), 122, "/data/2");
        beat(one);
        beat(two);
    }

    private void written(StampedBlock block) {
        beat(one.writes(block));
        waitForCopies();
    }

    private void waitForCopies() {
        for (int i = 0; i < 8; i++) {
            beat(one);
            beat(two);
        }
    }

    @Test
    void written_isInMemoryBeforeItsFirstRead() {
        written(BLOCK);
        assertThat(one.memory.keySet()).containsExactly(1L);
        assertThat(placement.reports().block(nowMs, 1, 1).lastMoves())
                .singleElement()
                .satisfies(move -> {
                    assertThat(move.cause()).isEqualTo(Cause.RULE);
                    assertThat(move.reason()).isEqualTo("rule 1 of the policy says write: memory");
                });
        assertThat(metricRegistry.value(Metric.PLACEMENT_WRITTEN_ORDERED)).isEqualTo(1);
        assertThat(placement.reports().block(nowMs, 1, 1).replicas())
                .singleElement()
                .satisfies(replica -> assertThat(replica.heldForMs()).isBetween(1L, HeldBlocks.HOLD_MS));
    }

    @Test
    void written_whereNoRuleSaysSo_isNot() {
        name(BLOCK, 101, "/logs/part-1");
        written(BLOCK);
        assertThat(one.memory).isEmpty();
    }

    @Test
    void written_allOfAPipelineReportIt_givesOneCopy() {
        beat(one.writes(BLOCK));
        beat(two.writes(BLOCK));
        waitForCopies();
        assertThat(one.memory.keySet()).containsExactly(1L);
        assertThat(two.memory).isEmpty();
    }

    @Test
    void written_throughMemory_getsNoOther() {
        beat(one.writes(BLOCK));
        two.arrives(BLOCK, false);
        beat(two);
        waitForCopies();
        assertThat(one.memory).isEmpty();
        assertThat(two.memory.keySet()).containsExactly(1L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_WRITTEN_ORDERED)).isZero();
    }

    @Test
    void written_throughMemory_staysAsOneThatWasOrdered() {
        beat(one.writes(BLOCK));
        one.arrives(BLOCK, false);
        beat(one);
        waitForCopies();
        assertThat(placement.reports().block(nowMs, 1, 1).replicas())
                .singleElement()
                .satisfies(replica -> assertThat(replica.heldForMs()).isBetween(1L, HeldBlocks.HOLD_MS));
        for (int i = 0; i < 20; i++) {
            beat(one.reads(block(21, 5), 3).reads(block(22, 5), 3));
        }
        assertThat(one.memory).containsKey(1L);
        assertThat(one.orderKinds()).doesNotContain(FakeDataNode.DROP);
    }

    @Test
    void written_andNotCompleteYet_waitsUntilItIs() {
        names.verdicts.put(1L, Verdict.UNDER_CONSTRUCTION);
        written(BLOCK);
        assertThat(one.memory).isEmpty();
        names.verdicts.remove(1L);
        waitForCopies();
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void written_andDeleted_isAskedAboutOnce() {
        names.verdicts.put(1L, Verdict.GONE);
        written(BLOCK);
        int looks = names.looks;
        waitForCopies();
        assertThat(names.looks).isEqualTo(looks);
        assertThat(one.memory).isEmpty();
    }

    @Test
    void written_andOpenForMinutes_isGivenUp() {
        names.verdicts.put(1L, Verdict.UNDER_CONSTRUCTION);
        written(BLOCK);
        nowMs += 61_000;
        waitForCopies();
        names.verdicts.remove(1L);
        waitForCopies();
        assertThat(one.memory).isEmpty();
    }

    @Test
    void written_moreThanAQuarterOfMemory_keepsTheNewest() {
        for (int i = 0; i < 5; i++) {
            beat(one.reads(block(21, 5), 3));
        }
        for (int id = 1; id < 9; id++) {
            one.reads(block(21, 5), 3);
            written(block(id, 1));
            assertThat(one.memory.keySet())
                    .contains((long) id)
                    .as("what is read much stays")
                    .contains(21L);
        }
        assertThat(metricRegistry.value(Metric.PLACEMENT_WRITTEN_ORDERED)).isEqualTo(8);
        assertThat(one.memory.keySet()).contains(7L, 8L).doesNotContain(1L);
    }

    @Test
    void written_largerThanThePart_isRefused() {
        StampedBlock large = block(1, 3);
        written(large);
        assertThat(one.memory).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_WRITTEN_REFUSED)).isEqualTo(1);
    }

    @Test
    void written_heldForLongEnough_isThePolicysAgain() {
        written(BLOCK);
        nowMs += HeldBlocks.HOLD_MS;
        placement.turn(nowMs);
        for (int i = 0; i < 20 && one.memory.containsKey(1L); i++) {
            one.reads(block(21, 5), 3);
            one.reads(block(22, 5), 3);
            beat(one);
        }
        assertThat(one.memory).doesNotContainKey(1L);
    }
}
