package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.cache.CachePolicy;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptivePolicyTest {

    private static final CachePolicy.Evictions NOBODY = (object, sizeBytes) -> {};

    private final Access access = new Access();

    private boolean read(CachePolicy cachePolicy, long nowMs, long object, long sizeBytes, long job) {
        boolean hit = cachePolicy.holds(object);
        cachePolicy.access(access.read(nowMs, object, sizeBytes, sizeBytes, 1).by(job), NOBODY);
        return hit;
    }

    private static AdaptivePolicy cachePolicy(long capacityBytes, int tracked) {
        return new AdaptivePolicy(capacityBytes, new Tuning(Objective.OBJECTS, tracked, 1024, 0.03, 0.005, 100_000));
    }

    @Test
    void access_loopLargerThanTheRoom_keepsAFixedPart() {
        AdaptivePolicy cache = cachePolicy(200, 10_000);
        int hits = 0;
        for (int i = 0; i < 100_000; i++) {
            hits += read(cache, i * 1000L, i % 1000, 1, Access.NO_JOB) && i >= 50_000 ? 1 : 0;
        }
        assertThat(hits).as("of 50,000, a fifth being the most possible").isBetween(9000, 10_000);
    }

    @Test
    void access_scans_doNotWashOutWhatIsUsed() {
        AdaptivePolicy cache = cachePolicy(100, 100_000);
        Random random = new Random(7);
        long fresh = 1_000_000;
        int hits = 0;
        int hot = 0;
        for (int i = 0; i < 100_000; i++) {
            if (i % 1000 < 700) {
                read(cache, i * 1000L, fresh++, 1, Access.NO_JOB);
            } else {
                hot++;
                hits += read(cache, i * 1000L, random.nextInt(80), 1, Access.NO_JOB) ? 1 : 0;
            }
        }
        assertThat(hits).isGreaterThan(hot * 9 / 10);
    }

    @Test
    void access_manySmallAgainstOneLarge_keepsTheSmallOnesWhenObjectsCount() {
        AdaptivePolicy cache = cachePolicy(1000, 10_000);
        int hits = 0;
        for (int i = 0; i < 30_000; i++) {
            hits += read(cache, i * 1000L, i % 90, 10, Access.NO_JOB) ? 1 : 0;
            if (i % 20 == 0) {
                read(cache, i * 1000L, 5000, 900, Access.NO_JOB);
            }
        }
        assertThat(hits).isGreaterThan(25_000);
    }

    @Test
    void access_sameJobWithinAMinute_isOneSign() {
        AdaptivePolicy cache = cachePolicy(100, 10_000);
        for (int i = 0; i < 50; i++) {
            read(cache, i * 1000L, 1, 10, 77);
        }
        assertThat(cache.explain(60_000, 1, 0).sentence()).startsWith("read once, ");
        read(cache, 51_000, 1, 10, 78);
        assertThat(cache.explain(60_000, 1, 0).sentence()).startsWith("read 2 times, ");
    }

    @Test
    void explain_ruleThatDoesNotLookAtSizes_doesNotCompareForTheSize() {
        AdaptivePolicy cache = new AdaptivePolicy(100, new Tuning(Objective.BYTES, 1000, 1024, 0.03, 0.005, 100_000));
        for (int i = 0; i < 20; i++) {
            read(cache, i * 1000L, i % 4, 30, Access.NO_JOB);
        }
        assertThat(cache.explain(20_000, 3, 1).worth())
                .satisfies(worth -> assertThat(worth.perByte()).isFalse());
    }

    @Test
    void compare_byTimesOfReads_isNoRatio() {
        assertThat(RankingRule.RECENT.compare(-1000, -2000, 0)).isNull();
        assertThat(RankingRule.SLOW_DENSITY.compare(3, 1, 0)).isEqualTo(new Explanation.Worth(4, true));
        assertThat(RankingRule.SLOW.compare(1, 2, 0)).isEqualTo(new Explanation.Worth(0.5, false));
    }

    @Test
    void access_moreObjectsThanTracked_staysWithinTheBound() {
        AdaptivePolicy cache = cachePolicy(500, 2000);
        Random random = new Random(3);
        for (int i = 0; i < 100_000; i++) {
            read(cache, i * 100L, random.nextInt(50_000), 1 + i % 3, Access.NO_JOB);
            assertThat(cache.trackedObjects()).isLessThanOrEqualTo(2000);
            assertThat(cache.usedBytes()).isLessThanOrEqualTo(500);
        }
    }

    @Test
    void access_objectThatComesBackAgainAndAgain_isCreditedEachReadOnce() {
        AdaptivePolicy cache = cachePolicy(1, 1000);
        long fresh = 100;
        for (int round = 0; round < 6; round++) {
            read(cache, fresh, 1, 10, Access.NO_JOB);
            assertThat(reads(cache, 1)).isBetween(1, round + 1);
            while (cache.explain(fresh, 1, 1) != null) {
                read(cache, fresh, fresh++, 10, Access.NO_JOB);
            }
        }
    }

    @Test
    void access_objectsNeverRead_areNotTakenForForgottenOnes() {
        AdaptivePolicy cache = cachePolicy(1, 1000);
        int readBefore = 0;
        for (int i = 0; i < 100_000; i++) {
            read(cache, i, i, 10, Access.NO_JOB);
            readBefore += i >= 50_000 && reads(cache, i) > 1 ? 1 : 0;
        }
        assertThat(readBefore).as("of 50,000").isLessThan(2_500);
    }

    private static int reads(AdaptivePolicy cache, long object) {
        String sentence = cache.explain(0, object, 1).sentence();
        return sentence.startsWith("read once") ? 1 : Integer.parseInt(sentence.split(" ")[1]);
    }

    @Test
    void memoryBytes_manyObjects_isBounded() {
        // Just below a doubling of the hash, where it is fullest; the policy's table of places comes on top.
        int objects = 1_300_000;
        AdaptivePolicy cache =
                new AdaptivePolicy(objects / 4, new Tuning(Objective.OBJECTS, objects, 32_768, 0.03, 0.005, 100_000));
        for (int i = 0; i < objects; i++) {
            read(cache, i, i, 1, Access.NO_JOB);
        }
        assertThat((double) cache.memoryBytes() / cache.trackedObjects()).isLessThan(60);
    }

    @ParameterizedTest
    @ValueSource(ints = {900, 4000})
    void access_steadyState_allocatesNothing(int tracked) {
        // All take part in the tournament of rules, or a sample of them.
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        AdaptivePolicy cache = cachePolicy(500, tracked);
        for (int object = 0; object < 500; object++) {
            cache.adopt(0, object, 1, NOBODY);
        }
        long state = 1;
        long before = 0;
        long held = 0;
        for (int i = 0; i < 300_000; i++) {
            if (i == 200_000) {
                held = cache.memoryBytes();
                before = threads.getCurrentThreadAllocatedBytes();
            }
            state = state * 6364136223846793005L + 1442695040888963407L;
            access.read(i * 10L, (state >>> 40) % 20_000, 1, 1, 1);
            cache.access(access, NOBODY);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated - (cache.memoryBytes() - held))
                .as("in 100,000 accesses, but for classes of objects that were not seen before")
                .isLessThan(1000);
    }
}
