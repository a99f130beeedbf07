package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.LoopReads.Outcome;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects of equal worth do not displace each other, however few and large they are. */
class NoThrashTest {

    private static final long MB = 1 << 20;
    private static final int PASSES = 15;
    /** A third of a second for a move, 200 MB/s for all of them, reads told in sums. */
    private static final ReplayConditions SERVICE =
            new ReplayConditions(300, 200_000_000, 1 << 16).reporting(250, 1000);

    private static final ReplayConditions[] CONDITIONS = {ReplayConditions.INSTANT, SERVICE};
    private static final long[] GAPS_MS = {400, 700, 1000, 2000, 20_000};

    @ParameterizedTest
    @CsvSource({"3, 1", "3, 2", "5, 2", "5, 4", "10, 7", "40, 30"})
    void replay_loopOfEqualObjects_keepsWhatCameIn(int objects, int room) {
        for (ReplayConditions conditions : CONDITIONS) {
            for (long gapMs : GAPS_MS) {
                for (long sizeBytes : new long[] {4 * MB, 128 * MB}) {
                    Outcome outcome =
                            LoopReads.equal(objects, room, sizeBytes, gapMs).replay("adaptive", PASSES, conditions);
                    String as = sizeBytes / MB + " MB each " + gapMs + " ms, " + conditions;
                    assertThat(outcome.hitBytes() * objects / room).as(as).isGreaterThanOrEqualTo(0.9);
                    assertThat(outcome.movedPerByte()).as(as).isLessThanOrEqualTo(0.02);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1000", "2000", "20000"})
    void replay_loopOfUnequalObjects_keepsTwoOfThree(long gapMs) {
        for (ReplayConditions conditions : CONDITIONS) {
            Outcome outcome = new LoopReads(new long[] {128 * MB, 128 * MB, 30 * MB}, 256 * MB, gapMs)
                    .replay("adaptive", PASSES, conditions);
            assertThat(outcome.hitBytes()).as("158 of 286 MB").isGreaterThan(0.5);
            assertThat(outcome.movedPerByte()).isLessThanOrEqualTo(0.04);
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 20, 1000", "64, 20, 1000", "64, 100, 3000", "150, 20, 1000", "150, 100, 3000", "280, 20, 1000"})
    void replay_equallyPopularObjects_movesAtMostOneForTenReads(int room, int perS, int reads) {
        long moves = 0;
        for (long seed = 1; seed <= 3; seed++) {
            Random random = new Random(seed);
            Trace.Builder rows = new Trace.Builder("margin");
            double ms = 0;
            for (int i = 0; i < reads; i++) {
                ms -= Math.log(1 - random.nextDouble()) * 1000 / perS;
                rows.add((long) ms, random.nextInt(300), 4 * MB, 4 * MB, false, -1);
            }
            TierHierarchy hierarchy = TierHierarchy.of(
                    new TierSpec("memory", room * 4 * MB, 1_000, 10_000_000_000L, true),
                    new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
            ReplayResult result = TraceReplay.replay(
                    rows.build(), hierarchy, SERVICE, PolicyCatalog.create("adaptive", Map.of(), hierarchy));
            moves += result.moves() - room;
        }
        assertThat(moves / 3)
                .as("moves once the memory is full, mean of three seeds")
                .isLessThanOrEqualTo(reads / 10);
    }
}
