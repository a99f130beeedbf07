package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The default policy as the placement service uses it: few objects, few reads, told in sums, those from memory more
 * rarely than others, moves that take their time. It must not fall behind any other policy of the catalog.
 */
class LiveUseTest {

    /** A third of a second for a move, 200 MB/s for all of them. */
    private static final ReplayConditions SERVICE = new ReplayConditions(300, 200_000_000, 1 << 16);

    private static ReplayResult replay(Trace trace, ReplayConditions replayConditions, String policy, int objects) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", objects * SkewedReads.OBJECT_BYTES / 4, 1_000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        return TraceReplay.replay(
                trace, hierarchy, replayConditions, PolicyCatalog.create(policy, Map.of(), hierarchy));
    }

    private static double bestHitRatio(Trace trace, ReplayConditions replayConditions, int objects) {
        double best = 0;
        for (PolicyKind kind : PolicyCatalog.kinds()) {
            if (!kind.name().equals("adaptive")) {
                best = Math.max(
                        best,
                        replay(trace, replayConditions, kind.name(), objects).objectHitRatio());
            }
        }
        return best;
    }

    @ParameterizedTest
    @CsvSource({
        // objects, reads, reads a second, pause every, shuffle every
        "64, 2000, 20, 0, 0",
        "64, 2000, 500, 0, 0",
        "64, 20000, 500, 0, 0",
        "128, 20000, 200, 0, 0",
        "128, 20000, 5000, 0, 0",
        "500, 5000, 100, 0, 0",
        "500, 20000, 1000, 0, 0",
        "500, 10000, 5, 0, 0",
        "128, 20000, 200, 5000, 0",
        "128, 40000, 200, 0, 10000",
    })
    void replay_fewObjectsReadInSums_keepsUpWithTheBest(
            int objects, int reads, int perS, int pauseEvery, int shuffleEvery) {
        for (long seed = 1; seed <= 3; seed++) {
            Trace trace = new SkewedReads(objects, seed).trace(reads, perS, pauseEvery, shuffleEvery);
            for (ReplayConditions replayConditions : new ReplayConditions[] {SERVICE, SERVICE.reporting(250, 1000)}) {
                assertThat(replay(trace, replayConditions, "adaptive", objects).objectHitRatio())
                        .as("seed %d, %s", seed, replayConditions)
                        .isGreaterThan(bestHitRatio(trace, replayConditions, objects) - 0.02);
            }
        }
    }

    @Test
    void replay_residentsToldMoreRarely_doNotMakeWayForOthers() {
        int objects = 128;
        Trace trace = new SkewedReads(objects, 1).trace(100_000, 5000, 0, 0);
        ReplayResult told = replay(trace, SERVICE.reporting(250, 1000), "adaptive", objects);
        assertThat(told.objectHitRatio())
                .as("the hottest quarter gets 0.747 of the reads")
                .isGreaterThan(0.7);
        assertThat(told.moves()).as("for 32 places").isLessThan(200);
    }
}
