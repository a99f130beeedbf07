package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reads that count for the time that memory saves them. */
class TimeObjectiveTest {

    private static final long BLOCK = 64 << 20;
    private static final long SHORT = 16 << 10;
    private static final int BLOCKS = 8;
    private static final int ROUNDS = 400;

    /** Eight blocks are scanned once a round; eight others are read so often at random, where a scan takes as long as 66 of them. */
    private static ReplayResult replay(int shortReads, String objective) {
        Trace.Builder rows = new Trace.Builder("patterns");
        long nowMs = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int block = 0; block < BLOCKS; block++) {
                rows.add(nowMs, block, BLOCK, BLOCK, false, -1);
                for (int read = 0; read < shortReads; read++) {
                    rows.add(nowMs += 1000, BLOCKS + block, SHORT, BLOCK, false, -1);
                }
            }
        }
        TierHierarchy tiers = TierHierarchy.of(
                new TierSpec("memory", BLOCKS * BLOCK, 3_000, 8_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000L, false));
        return TraceReplay.replay(
                rows.build(),
                tiers,
                ReplayConditions.INSTANT,
                PolicyCatalog.create("adaptive", Map.of("objective", objective), tiers));
    }

    @Test
    void fewShortReads_scansHaveTheRoom() {
        ReplayResult objects = replay(5, "objects");
        ReplayResult time = replay(5, "time");
        assertThat(objects.objectHitRatio()).as("short reads are many").isGreaterThan(0.8);
        assertThat(time.byteHitRatio()).isGreaterThan(0.9);
        assertThat(time.meanReadMs()).isLessThan(objects.meanReadMs() / 3);
    }

    @Test
    void manyShortReads_haveTheRoom() {
        ReplayResult bytes = replay(200, "bytes");
        ReplayResult time = replay(200, "time");
        assertThat(time.objectHitRatio()).isGreaterThan(0.9);
        assertThat(time.meanReadMs()).isLessThanOrEqualTo(bytes.meanReadMs());
    }

    @Test
    void timeUnknown_isLikeObjects() {
        AdaptivePolicy time = policy(Objective.TIME);
        AdaptivePolicy objects = policy(Objective.OBJECTS);
        Access access = new Access();
        int[] hits = new int[2];
        for (int row = 0; row < 4000; row++) {
            int object = (int) (HashCommon.mix((long) row) >>> 60);
            hits[0] += time.holds(object) ? 1 : 0;
            hits[1] += objects.holds(object) ? 1 : 0;
            access.read(row * 1000L, object, BLOCK, SHORT, 1);
            time.access(access, (evicted, size) -> {});
            objects.access(access, (evicted, size) -> {});
        }
        assertThat(hits[1]).isGreaterThan(500);
        assertThat(hits[0]).isCloseTo(hits[1], within(100));
    }

    private static AdaptivePolicy policy(Objective objective) {
        return new AdaptivePolicy(4 * BLOCK, new Tuning(objective, 1000, 1000, 0.015, 0.005, 100_000));
    }

    @Test
    void explain_saysWhatAReadSaves() {
        AdaptivePolicy policy = policy(Objective.TIME);
        policy.access(new Access().read(0, 7, BLOCK, SHORT, 1).saving(8_000_000), (evicted, size) -> {});
        assertThat(policy.explain(0, 7, 1)).isNotNull();
        assertThat(policy.explain(0, 7, 1).sentence()).contains("read once, last 0 s ago, each saves about 7.7 ms");
    }

    @Test
    void saved_followsWhatIsTypical_andStaysWhereReadsAreAlike() {
        ObjectRecords records = new ObjectRecords(16);
        int slot = records.add(7, HashCommon.murmurHash3(7L));
        assertThat(records.savedLog(slot)).isZero();
        records.saved(slot, 8_000_000);
        double first = records.savedLog(slot);
        assertThat(first).isEqualTo(Math.log(8_000_000) / Math.log(2), within(0.2));
        for (int i = 0; i < 100; i++) {
            records.saved(slot, i % 2 == 0 ? 7_200_000 : 8_800_000);
        }
        assertThat(records.savedLog(slot)).isEqualTo(first);
        for (int i = 0; i < 30; i++) {
            records.saved(slot, 800_000_000);
        }
        assertThat(records.savedLog(slot)).isEqualTo(Math.log(800_000_000) / Math.log(2), within(0.5));
        records.saved(slot, Long.MAX_VALUE);
        records.saved(slot, 1);
        assertThat(records.used(slot)).isTrue();
        records.remove(slot);
        int again = records.add(8, HashCommon.murmurHash3(8L));
        assertThat(records.savedLog(again)).as("another object's is not kept").isZero();
    }
}
