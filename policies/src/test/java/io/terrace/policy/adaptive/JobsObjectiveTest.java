package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs that gain only when all of their input is in memory. */
class JobsObjectiveTest {

    private static final long BLOCK = 1 << 20;
    private static final int BLOCKS_OF_LARGE = 8;
    private static final int SMALL_FILES = 4;
    private static final int ROUNDS = 200;

    /**
     * A file of eight blocks is read in every round, four files of one block each in every second round: a block of the large
     * one is read twice as often, and room for four of them serves no job.
     */
    private static Trace trace() {
        Trace.Builder rows = new Trace.Builder("inputs");
        int job = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long nowMs = round * 120_000L;
            rows.add(nowMs, 0, BLOCKS_OF_LARGE * BLOCK, BLOCKS_OF_LARGE * BLOCK, false, job++);
            for (int file = 1; file <= SMALL_FILES && round % 2 == 0; file++) {
                rows.add(nowMs + file * 10_000L, file, BLOCK, BLOCK, false, job++);
            }
        }
        return rows.build().inBlocks(BLOCK);
    }

    private static ReplayResult replay(Trace trace, String objective) {
        TierHierarchy tiers = TierHierarchy.of(
                new TierSpec("memory", SMALL_FILES * BLOCK, 3_000, 8_000_000_000L, true),
                new TierSpec("home", TierSpec.UNBOUNDED, 150_000, 500_000_000L, false));
        return TraceReplay.replay(
                trace,
                tiers,
                ReplayConditions.INSTANT,
                PolicyCatalog.create("adaptive", Map.of("objective", objective), tiers));
    }

    @Test
    void jobs_serveInputsThatFitAsAWhole() {
        ReplayResult objects = replay(trace(), "objects");
        ReplayResult jobs = replay(trace(), "jobs");
        assertThat(objects.objectHitRatio()).isGreaterThan(jobs.objectHitRatio());
        assertThat(objects.jobHitRatio())
                .as("blocks of the large file have the room, and serve no job")
                .isLessThan(0.1);
        assertThat(jobs.jobHitRatio()).as("two of three jobs are small").isGreaterThan(0.6);
    }

    @Test
    void jobs_inputsUnknown_areLikeObjects() {
        Trace.Builder rows = new Trace.Builder("no inputs");
        for (int row = 0; row < 4000; row++) {
            rows.add(row * 1000L, (int) (HashCommon.mix((long) row) >>> 60), BLOCK, BLOCK, false, -1);
        }
        Trace trace = rows.build();
        assertThat(replay(trace, "jobs").objectHitRatio())
                .isEqualTo(replay(trace, "objects").objectHitRatio(), within(0.02));
    }

    @Test
    void input_isKeptBesideAllElse() {
        ObjectRecords records = new ObjectRecords(16);
        int slot = records.add(7, HashCommon.murmurHash3(7L));
        records.size(slot, BLOCK);
        assertThat(records.inputLog(slot)).as("its own size").isEqualTo(20);
        records.input(slot, 100 * BLOCK);
        double log = records.inputLog(slot);
        assertThat(log).isEqualTo(Math.log(100 * BLOCK) / Math.log(2), within(0.15));
        records.enter(slot, 0xFF);
        records.list(slot, 0xFF);
        for (int rule = 0; rule < 7; rule++) {
            records.setOut(slot, rule);
        }
        records.classAndJob(slot, 0xFFFF, 0xFFFF);
        records.unlist(slot, 0xFF);
        assertThat(records.inputLog(slot)).isEqualTo(log);
        assertThat(records.returnClass(slot)).isEqualTo(0xFFFF);
        assertThat(records.job(slot)).isEqualTo(0xFFFF);
        records.input(slot, 1);
        assertThat(records.inputLog(slot)).as("no less than itself").isEqualTo(20);
        records.input(slot, Long.MAX_VALUE);
        assertThat(records.inputLog(slot)).isBetween(48.0, 64.0);
        assertThat(records.used(slot)).isTrue();
        records.remove(slot);
        int again = records.add(8, HashCommon.murmurHash3(8L));
        records.size(again, BLOCK);
        assertThat(records.inputLog(again)).as("another object's is not kept").isEqualTo(20);
    }
}
