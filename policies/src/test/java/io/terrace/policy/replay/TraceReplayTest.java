package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TraceReplayTest {

    private static TierHierarchy tiers(long... capacities) {
        TierSpec[] tiers = new TierSpec[capacities.length + 1];
        for (int i = 0; i < capacities.length; i++) {
            tiers[i] = new TierSpec("t" + i, capacities[i], 1000, 1_000_000_000, true);
        }
        tiers[capacities.length] = new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 100_000_000, false);
        return TierHierarchy.of(tiers);
    }

    private static ReplayResult lru(Trace trace, ReplayConditions replayConditions, long... capacities) {
        TierHierarchy hierarchy = tiers(capacities);
        return TraceReplay.replay(trace, hierarchy, replayConditions, PolicyCatalog.create("lru", Map.of(), hierarchy));
    }

    private static Trace reads(long stepMs, int size, int... objects) {
        Trace.Builder builder = new Trace.Builder("t");
        for (int i = 0; i < objects.length; i++) {
            builder.add(i * stepMs, objects[i], size, size, false, i / 2);
        }
        return builder.build();
    }

    @Test
    void replay_lru_countsHitsJobsAndMoves() {
        // a a | b a | c b : hits at rows 1 and 3; the last job misses both, since c pushed b's elder out only later.
        ReplayResult outcome = lru(reads(1000, 10, 0, 0, 1, 0, 2, 1), ReplayConditions.INSTANT, 20);
        assertThat(outcome.reads()).isEqualTo(6);
        assertThat(outcome.objectHitRatio()).isEqualTo(2 / 6.0);
        assertThat(outcome.byteHitRatio()).isEqualTo(2 / 6.0);
        assertThat(outcome.jobs()).isEqualTo(3);
        assertThat(outcome.jobsAllHit()).isZero();
        assertThat(outcome.promotedBytes()).isEqualTo(40);
        assertThat(outcome.wastedMoves())
                .as("b twice and c were never read where they stood")
                .isEqualTo(3);
        assertThat(outcome.peakBytes()[0]).isEqualTo(20);
    }

    @Test
    void replay_promotionDelay_helpsOnlyLaterReads() {
        Trace trace = reads(1000, 10, 0, 0, 0, 0, 0, 0);
        assertThat(lru(trace, ReplayConditions.INSTANT, 20).tierReads()[0]).isEqualTo(5);
        assertThat(lru(trace, ReplayConditions.delayed(3000), 20).tierReads()[0])
                .isEqualTo(3);
        assertThat(lru(trace, ReplayConditions.delayed(60_000), 20).tierReads()[0])
                .isZero();
    }

    @Test
    void replay_moveBudget_makesMovesWait() {
        Trace trace = reads(1000, 10, 0, 0, 0, 0, 0, 0);
        // Ten bytes at four a second take two and a half.
        assertThat(lru(trace, new ReplayConditions(0, 4, 16), 20).tierReads()[0])
                .isEqualTo(3);
    }

    @Test
    void replay_queueFull_failsTheMove() {
        Trace trace = reads(1000, 10, 0, 1, 2, 3, 4, 5);
        ReplayResult outcome = lru(trace, new ReplayConditions(0, 1, 2), 1000);
        assertThat(outcome.failedMoves()).isEqualTo(4);
    }

    @Test
    void replay_fiveTiers_servesFromEach() {
        Trace.Builder builder = new Trace.Builder("t");
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            builder.add(i * 1000L, (int) Math.min(499, Math.abs(random.nextGaussian()) * 120), 10, 10, false, -1);
        }
        ReplayResult outcome = lru(builder.build(), ReplayConditions.INSTANT, 100, 400, 1000, 2500);
        assertThat(outcome.tierReads()).hasSize(5).doesNotContain(0L);
        assertThat(outcome.reads()).isEqualTo(20_000);
        assertThat(outcome.failedMoves()).isZero();
        assertThat(outcome.meanReadMs()).isBetween(0.001, 8.1);
    }

    @Test
    void replay_writesAround_countNothing() {
        Trace trace = new Trace.Builder("t")
                .add(0, 0, 10, 10, true, -1)
                .add(1000, 0, 10, 10, false, -1)
                .add(2000, 0, 10, 10, false, -1)
                .build();
        ReplayResult around = lru(trace, ReplayConditions.INSTANT, 20);
        assertThat(around.reads()).isEqualTo(2);
        assertThat(around.tierReads()[0]).isEqualTo(1);
        TierHierarchy hierarchy = tiers(20);
        PlacementPolicy allocating = PolicyCatalog.create("lru", Map.of("writes", "allocate"), hierarchy);
        assertThat(TraceReplay.replay(trace, hierarchy, ReplayConditions.INSTANT, allocating)
                        .tierReads()[0])
                .isEqualTo(2);
    }

    @Test
    void replay_budgetOfACalledOffMove_isNotSpent() {
        // 9 moves when 0 takes its place; 0 waits for the budget when 1 takes its place.
        Trace trace = reads(1000, 10, 9, 0, 1, 1, 1, 1, 1, 1, 1);
        ReplayResult outcome = lru(trace, new ReplayConditions(0, 4, 16), 10);
        assertThat(outcome.moves()).as("9 and 0 were called off").isEqualTo(1);
        assertThat(outcome.tierReads()[0])
                .as("begun when 9 was through, at 2.5 s")
                .isEqualTo(4);
    }
}
