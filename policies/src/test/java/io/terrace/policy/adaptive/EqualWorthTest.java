package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Files that are all read alike, a quarter of which fits into memory: no move can gain anything. */
class EqualWorthTest {

    private static final int FILES = 150;
    private static final int FILES_IN_MEMORY = 40;
    private static final int READS = 1000;
    private static final long FILE_BYTES = 2 << 20;

    private static double movesPerRead(long seed) {
        Random random = new Random(seed);
        Trace.Builder rows = new Trace.Builder("equal worth");
        for (int i = 0; i < READS; i++) {
            int file = random.nextInt(FILES);
            // Each in two halves, twenty files a second.
            rows.add(i * 50L, file, FILE_BYTES, FILE_BYTES / 2, false, -1);
            rows.add(i * 50L + 1, file, FILE_BYTES, FILE_BYTES / 2, false, -1);
        }
        TierHierarchy tiers = TierHierarchy.of(
                new TierSpec("memory", FILES_IN_MEMORY * FILE_BYTES, 1000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        ReplayConditions conditions = new ReplayConditions(50, 200_000_000, 1 << 16).reporting(250, 1000);
        long moves = TraceReplay.replay(
                        rows.build(), tiers, conditions, PolicyCatalog.create("adaptive", Map.of(), tiers))
                .moves();
        return (double) (moves - FILES_IN_MEMORY) / READS;
    }

    @Test
    void moves_inSixtySeeds_areSeldomMoreThanOneInTenReads() {
        List<String> more = new ArrayList<>();
        double sum = 0;
        for (long seed = 1; seed <= 60; seed++) {
            double moves = movesPerRead(seed);
            sum += moves;
            if (moves > 0.1) {
                more.add("seed " + seed + ": " + moves);
            }
        }
        assertThat(sum / 60).isLessThan(0.1);
        assertThat(more).hasSizeLessThan(7);
    }
}
