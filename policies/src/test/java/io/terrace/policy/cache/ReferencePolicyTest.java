package io.terrace.policy.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.terrace.policy.CheckedTiers;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.util.LinkedHashSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pins the reference policies on a synthetic trace. The figures were taken when the same code agreed to five digits with
 * the published results on the shared traces (LRU, LFU, ARC, S3-FIFO, SIEVE, GDSF on all read-only ones; 2Q on those of
 * equal sizes).
 */
class ReferencePolicyTest {

    private static final int OBJECTS = 2000;
    private static final int READS = 60_000;

    /** Skewed reads, with a scan over a quarter of the objects every so often; made without the JDK's generator. */
    private static Trace trace(boolean equalSizes) {
        Trace.Builder builder = new Trace.Builder("synthetic");
        long state = 12345;
        for (int i = 0; i < READS; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            double uniform = (state >>> 11) * 0x1p-53;
            int object = i % 6000 < 500
                    ? OBJECTS + i % 6000
                    : (int) ((Math.exp(uniform * Math.log(OBJECTS + 1.0)) - 1 + i / 10_000 * 37) % OBJECTS);
            long size = equalSizes ? 4096 : 100 + (object * 7919L) % 10_000;
            builder.add(i * 1000L, object, size, size, false, -1);
        }
        return builder.build();
    }

    private static long hits(String policy, boolean equalSizes) {
        Trace trace = trace(equalSizes);
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", trace.readFootprintBytes() / 20, 1000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        ReplayResult outcome = TraceReplay.replay(
                trace, hierarchy, ReplayConditions.INSTANT, PolicyCatalog.create(policy, Map.of(), hierarchy));
        assertThat(outcome.failedMoves()).isZero();
        return outcome.tierReads()[0];
    }

    @ParameterizedTest
    @CsvSource({
        "lru, 27526, 27519",
        "lfu, 27191, 27455",
        "arc, 32011, 32013",
        "s3-fifo, 32476, 32466",
        "sieve, 31570, 32340",
        "gdsf, 28114, 30810",
        "2q, 31402, 31376",
    })
    void replay_syntheticTrace_hitsAsPinned(String policy, long equal, long varied) {
        assertThat(hits(policy, true)).as("equal sizes").isEqualTo(equal);
        assertThat(hits(policy, false)).as("varied sizes").isEqualTo(varied);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lfu", "lrfu"})
    void explain_objectWhoseMovesFailed_isCountedOn(String name) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", 100, 1000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        PlacementPolicy policy = PolicyCatalog.create(name, Map.of(), hierarchy);
        MoveRequests unanswered = (object, sizeBytes, from, to) -> {};
        for (int i = 0; i < 5; i++) {
            policy.access(new Access().read(i, 7, 10, 10, 1), unanswered);
            policy.moveFailed(i, 7, 10, 1, unanswered);
        }
        assertThat(policy.explain(5, 7).count()).isCloseTo(5, withinPercentage(1));
        policy.access(new Access().read(6, 7, 10, 10, 1), unanswered);
        policy.moved(6, 7, 10, 0, unanswered);
        policy.resize(7, 0, 0, unanswered);
        policy.moveFailed(8, 7, 10, 0, unanswered);
        assertThat(policy.explain(9, 7).count()).as("nor did it leave").isCloseTo(6, withinPercentage(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lru", "lfu", "lrfu", "s3-fifo", "arc", "2q", "sieve", "w-tinylfu"})
    void access_objectThatGrew_standsAsBefore(String name) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", 100, 1000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        PlacementPolicy policy = PolicyCatalog.create(name, Map.of(), hierarchy);
        CheckedTiers tiers = new CheckedTiers(hierarchy);
        long nowMs = 0;
        for (int object : new int[] {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 1, 1, 1, 21, 22, 23, 24}) {
            nowMs += 1000;
            tiers.read(policy, nowMs, object, 10);
        }
        String before = standing(policy, nowMs);
        assertThat(tiers.tier(1)).isZero();
        tiers.write(policy, nowMs, 1, 11);
        assertThat(tiers.tier(1)).isZero();
        assertThat(standing(policy, nowMs)).isEqualTo(before);
    }

    private static String standing(PlacementPolicy policy, long nowMs) {
        return policy.explain(nowMs, 1).sentence().split(";")[0];
    }

    @ParameterizedTest
    @ValueSource(strings = {"arc", "2q", "s3-fifo"})
    void access_manySmallObjects_fewThatLeftAreRemembered(String name) {
        int residents = 10_000;
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", residents, 1000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        PlacementPolicy policy = PolicyCatalog.create(name, Map.of("remembered", "100"), hierarchy);
        for (int i = 0; i < 20 * residents; i++) {
            policy.access(new Access().read(i, i / 2, 1, 1, 1), (object, sizeBytes, from, to) -> {});
        }
        assertThat(policy.trackedObjects()).isEqualTo(residents + 100);
    }

    @Test
    void replay_lru_agreesWithAPlainList() {
        Trace trace = trace(false);
        long capacity = trace.readFootprintBytes() / 20;
        LinkedHashSet<Integer> order = new LinkedHashSet<>();
        long[] sizes = new long[trace.objects()];
        long used = 0;
        long hits = 0;
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            sizes[object] = trace.size(row);
            if (order.remove(object)) {
                hits++;
            } else {
                used += sizes[object];
                while (used > capacity) {
                    int oldest = order.iterator().next();
                    order.remove(oldest);
                    used -= sizes[oldest];
                }
            }
            order.add(object);
        }
        assertThat(hits("lru", false)).isEqualTo(hits);
    }
}
