package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a DataNode can do to others by what it says: {@code two} lies, {@code one} is honest. */
class ReportValidatorTest extends SteppedLoop {

    private static final long LIE = 1_000_000_000;

    private final StampedBlock block = block(1, 1);
    private final StampedBlock forged = new StampedBlock(1, 1L << 62, MB);

    private long unconfirmed() {
        return metricRegistry.value(Metric.PLACEMENT_HEAT_UNCONFIRMED);
    }

    private void assertServedByOne() {
        for (int i = 0; i < 4; i++) {
            one.reads(block, 3);
            beat(one);
            beat(two);
        }
        assertThat(one.memory).containsKey(1L);
        assertThat(one.orderKinds()).doesNotContain(FakeDataNode.DROP);
        assertThat(two.orders).isEmpty();
    }

    @Test
    void reads_ofWhoHoldsNone_takeNobodysCopyAway() {
        names.store(block, one);
        beat(two);
        warm(one, block);
        for (int i = 0; i < 5; i++) {
            two.reads(block, LIE);
            beat(two);
            beat(one);
        }
        assertThat(metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED)).isZero();
        assertThat(unconfirmed()).isEqualTo(5);
        assertServedByOne();
    }

    @Test
    void reads_ofWhoHoldsNone_makeNothingHotElsewhere() {
        names.store(block, one);
        beat(two);
        one.reads(block, 1);
        beat(one);
        for (int i = 0; i < 5; i++) {
            two.reads(block, LIE);
            beat(two);
            beat(one);
        }
        assertThat(one.orders).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTIONS_WISHED)).isZero();
    }

    @Test
    void reads_ofWhoHoldsNone_beforeAnybodyElse_areForgotten() {
        names.store(block, one);
        two.reads(block, LIE);
        beat(two);
        beat(one);
        assertServedByOne();
        assertThat(placement.reports().block(nowMs, 1, 0).replicas())
                .filteredOn(ReplicaReport::home)
                .extracting(ReplicaReport::node)
                .containsExactly("one");
    }

    @Test
    void reads_ofWhoHeldIt_countForAWhileLonger() {
        names.store(block, one, two);
        two.reads(block, 1000);
        beat(two);
        one.reads(block, 1);
        beat(one);
        assertThat(two.memory).containsKey(1L);
        names.store(block, one);
        two.leaves(block);
        nowMs += BlockHeat.CONFIRMED_MS;
        two.orders.clear();
        two.reads(block, LIE);
        beat(two);
        assertServedByOne();
    }

    @Test
    void reads_ofTwoHolders_askTheNameNodeOnceInAWhile() {
        beat(two);
        warm(one, block);
        names.asked = 0;
        for (int i = 0; i < 20; i++) {
            one.reads(block, 2);
            beat(one);
            two.reads(block, 2);
            beat(two);
        }
        assertThat(names.asked).isEqualTo(2);
        assertThat(unconfirmed()).isZero();
        for (long passedMs = 0; passedMs < BlockHeat.CONFIRMED_MS; passedMs += 60_000) {
            nowMs += 60_000;
            beat(one);
            beat(two);
        }
        two.reads(block, 2);
        beat(two);
        assertThat(names.asked).isEqualTo(4);
    }

    @Test
    void reads_ofOneDataNodeAlone_askNothing() {
        for (int i = 0; i < 20; i++) {
            one.reads(block(i, 1), 2);
            two.reads(block(100 + i, 1), 2);
            beat(one);
            beat(two);
        }
        assertThat(names.looks).isZero();
    }

    @Test
    void writes_ofAPipeline_askNothing() {
        one.writes(block);
        beat(one);
        two.writes(block);
        beat(two);
        assertThat(names.looks).isZero();
    }

    @Test
    void lookups_ofALiar_areFewAndHeldBack() {
        placement.activate(8, OperatorState.initial());
        int blocks = 5_000;
        for (int i = 1; i <= blocks; i++) {
            one.reads(block(i, 1), 1);
            names.store(block(i, 1), one);
        }
        beat(one);
        for (int i = 1; i <= blocks; i++) {
            two.reads(block(i, 1), LIE);
        }
        beat(two);
        int most = ReportQuota.LOOKS_TO_VALIDATE * names.lockBlocks();
        assertThat(names.asked).isPositive().isLessThanOrEqualTo(most + 2);
        assertThat(names.mostInOneLook).isLessThanOrEqualTo(names.lockBlocks());
        assertThat(unconfirmed()).isEqualTo(blocks);
        names.asked = 0;
        two.reads(block(1, 1), LIE);
        beat(two);
        assertThat(names.asked).as("it was refused a moment ago").isZero();
    }

    @Test
    void safeMode_whoCannotBeConfirmed_isNotHeardYet() {
        beat(two);
        warm(one, block);
        names.verdicts.put(1L, Verdict.UNKNOWN);
        two.reads(block, 100);
        beat(two);
        assertThat(unconfirmed()).isEqualTo(1);
        names.verdicts.clear();
        two.reads(block, 100);
        beat(two);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED)).isEqualTo(1);
    }

    @Test
    void stamp_forged_blindsNobody() {
        names.store(block, one);
        beat(two);
        one.carryOut = order -> MoveOutcome.NO_ROOM; // So a promotion waits that the lie could cancel.
        one.reads(block, 3);
        beat(one);
        beat(one);
        two.reads(forged, 0);
        beat(two);
        one.carryOut = order -> null;
        assertServedByOne();
        assertThat(unconfirmed()).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEAT_STALE)).isZero();
    }

    @Test
    void stamp_forgedBeforeAnybodyElse_isOverruled() {
        names.store(block, one);
        for (long reads : new long[] {0, 1}) {
            two.reads(forged, reads);
            beat(two);
        }
        assertServedByOne();
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEAT_STALE)).isZero();
    }

    @Test
    void length_forgedBeforeAnybodyElse_isOverruled() {
        names.store(block, one);
        two.reads(new StampedBlock(1, block.stamp(), 1L << 40), LIE);
        beat(two);
        assertServedByOne();
    }

    @Test
    void stamp_newOnTheNameNodeToo_countsAnewEverywhere() {
        beat(two);
        names.store(block, one, two);
        warm(one, block);
        StampedBlock appended = new StampedBlock(1, block.stamp() + 1, 2 * MB);
        names.store(appended, one, two);
        one.leaves(block);
        two.reads(appended, 3);
        assertThat(beat(two).orders()).extracting(MoveOrder::block).containsExactly(appended);
    }

    @Test
    void rule_thatPins_isNotAppliedOnTheWordOfWhoHoldsNone() {
        names.store(block, one);
        names.named.put(1L, new Named(101, "/dim/a"));
        names.lengths.put(101L, MB);
        names.files.put(101L, List.of(new Located(block, 101, List.of("one"))));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin}]"));
        beat(one);
        two.reads(block, 1);
        beat(two);
        nowMs += PinnedBlocks.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.orders).isEmpty();
        assertThat(placement.reports().pinnedBlocks()).isZero();
        assertThat(unconfirmed()).isEqualTo(1);
        nowMs += RuleEvaluator.VALID_MS;
        one.reads(block, 1);
        beat(one);
        nowMs += PinnedBlocks.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.memory).containsKey(1L);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(1);
    }

    private final StampedBlock large = block(5, 4);
    private final StampedBlock shortened = new StampedBlock(5, large.stamp(), 1);

    /** So long that everything in memory was looked at anew, and what came of it is done. */
    private void sweep() {
        for (long untilMs = nowMs + 2 * RuleEvaluator.VALID_MS; nowMs < untilMs; nowMs += 5_000) {
            beat(one);
            beat(two);
        }
    }

    private void assertStaysWithOne() {
        sweep();
        assertThat(one.memory).containsKey(5L);
        assertThat(one.orderKinds()).doesNotContain(FakeDataNode.DROP);
    }

    @Test
    void length_forgedBeforeTheHoldersCopyCame_breaksNoBoundOfSize() {
        names.store(large, one);
        placement.policy(nowMs, applied("policy: idecider", "smallest: 2m"));
        two.reads(shortened, 1);
        beat(two);
        one.arrives(large, false);
        beat(one);
        assertStaysWithOne();
    }

    @Test
    void length_forgedByWhoReadsNothing_breaksNoBoundOfSize() {
        names.store(large, one);
        placement.policy(nowMs, applied("policy: idecider", "smallest: 2m"));
        two.reads(shortened, 0);
        beat(two);
        one.reads(large, 3);
        beat(one);
        beat(one);
        assertStaysWithOne();
    }

    @Test
    void length_forgedInTheSameLook_breaksNoBoundOfARule() {
        names.store(large, one);
        names.named.put(5L, new Named(105, "/logs/a"));
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /logs/*, smallest: 2m}]"));
        one.arrives(large, false);
        beat(one);
        two.arrives(shortened, false);
        beat(two);
        assertStaysWithOne();
        assertThat(two.memory).as("each copy is judged by its own length").isEmpty();
    }

    @Test
    void length_forgedInTheSameLook_letsNobodyElseBreakABound() {
        StampedBlock small = block(6, 1);
        names.store(small, one);
        names.named.put(6L, new Named(106, "/logs/b"));
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /logs/*, smallest: 2m}]"));
        one.arrives(small, false);
        beat(one);
        two.arrives(new StampedBlock(6, small.stamp(), 4 * MB), false);
        beat(two);
        sweep();
        assertThat(one.memory).isEmpty();
    }

    @Test
    void residency_forged_takesNobodysCopyAway() {
        names.store(block, one);
        two.arrives(block, false);
        beat(two);
        one.arrives(block, false);
        beat(one);
        beat(one);
        assertThat(one.orders).isEmpty();
        assertServedByOne();
    }

    @Test
    void residency_ofAForgedStamp_blindsNobody() {
        names.store(block, one);
        beat(two);
        warm(one, block);
        two.arrives(forged, false);
        beat(two);
        assertThat(placement.reports().block(nowMs, 1, 0).heat()).isNotNull().satisfies(heat -> assertThat(heat.block())
                .isEqualTo(block));
        assertServedByOne();
    }

    @Test
    void residency_twoRealCopies_oneIsDropped() {
        names.store(block, one, two);
        beat(two);
        warm(one, block);
        two.arrives(block, false);
        beat(two);
        beat(two);
        assertThat(two.memory).isEmpty();
        assertThat(one.memory).containsKey(1L);
    }
}
