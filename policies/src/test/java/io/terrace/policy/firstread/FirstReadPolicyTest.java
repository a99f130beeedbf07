package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.util.Map;
import java.util.Random;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of 10 bytes in memory of 400, each written and, some of them, read once a minute later. */
class FirstReadPolicyTest {

    private static final long CAPACITY = 400;
    private static final TierHierarchy TIERS = TierHierarchy.of(
            new TierSpec("memory", CAPACITY, 1_000, 10_000_000_000L, true),
            new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));

    private FirstReadPolicy policy = policy("lru");

    private static FirstReadPolicy policy(String name) {
        return new FirstReadPolicy(
                PolicyCatalog.create(name, Map.of(), TIERS),
                object -> "all",
                CAPACITY,
                3_600_000,
                new VainLimit(0.1, 0));
    }

    private ReplayResult replay(int objects, LongPredicate read) {
        Trace.Builder rows = new Trace.Builder("written");
        for (int object = 0; object < objects; object++) {
            rows.add(object * 120_000L, object, 10, 10, true, -1);
            if (read.test(object)) {
                rows.add(object * 120_000L + 60_000, object, 10, 10, false, -1);
            }
        }
        return TraceReplay.replay(rows.build(), TIERS, ReplayConditions.INSTANT, policy);
    }

    @Test
    void written_andAlwaysRead_isThereBeforeItsFirstRead() {
        ReplayResult result = replay(100, object -> true);
        assertThat(result.tierReads()[0]).isBetween(90L, 97L);
        assertThat(policy.vainBytes()).isZero();
        assertThat(result.failedMoves()).isZero();
    }

    @Test
    void written_andNeverRead_isLeftWhereItIs() {
        replay(100, object -> false);
        assertThat(policy.aheadBytes()).isZero();
    }

    @Test
    void written_readNoMoreFromSomeTimeOn_copiesInVainAreBounded() {
        replay(400, object -> object < 100);
        assertThat(policy.vainBytes()).isPositive().isLessThanOrEqualTo(2.0 * CAPACITY / FirstReadPolicy.HELD_PART);
    }

    @Test
    void move_thatFails_doesNotAllowMoreInVain() {
        VainLimit limit = new VainLimit(0.1, 0);
        policy = new FirstReadPolicy(
                PolicyCatalog.create("lru", Map.of(), TIERS), object -> "all", CAPACITY, 3_600_000, limit);
        MoveRequests unanswered = (object, sizeBytes, fromTier, toTier) -> {};
        for (int object = 0; object < 50; object++) {
            policy.access(new Access().read(object, object, 10, 10, 1), unanswered);
            policy.moveFailed(object, object, 10, 1, unanswered);
        }
        assertThat(limit.allows(10)).isFalse();
        assertThat(policy.copiedBytes()).isZero();
        for (int object = 0; object < 10; object++) {
            policy.moved(100, object, 10, 0, unanswered);
            policy.moved(100, object, 10, 0, unanswered);
        }
        assertThat(policy.copiedBytes()).isEqualTo(100);
        assertThat(limit.allows(10)).isTrue();
        assertThat(limit.allows(11)).isFalse();
    }

    /** Forty hot objects fill memory, each read more than twice a minute. Each minute one is written and waits half an hour for its one read. */
    @Test
    void written_worthFarLessThanWhatIsInMemory_isLeftWhereItIs() {
        Trace.Builder rows = new Trace.Builder("hot and slow");
        for (int minute = 0; minute < 600; minute++) {
            for (int read = 0; read < 100; read++) {
                rows.add(minute * 60_000L, read % 40, 10, 10, false, -1);
            }
            rows.add(minute * 60_000L, 100 + minute, 10, 10, true, -1);
            if (minute >= 30) {
                rows.add(minute * 60_000L, 70 + minute, 10, 10, false, -1);
            }
        }
        TraceReplay.replay(rows.build(), TIERS, ReplayConditions.INSTANT, policy);
        assertThat(policy.aheadBytes()).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lru", "adaptive", "arc", "w-tinylfu", "idecider"})
    void replay_randomReadsAndWrites_keepsToMemory(String name) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Trace.Builder rows = new Trace.Builder("random");
        for (int row = 0; row < 20_000; row++) {
            int object = random.nextInt(300);
            rows.add(row * 10_000L, object, 1, 1 + object % 60, random.nextInt(3) == 0, -1);
        }
        policy = policy(name);
        ReplayResult result = TraceReplay.replay(rows.build(), TIERS, ReplayConditions.INSTANT, policy);
        assertThat(result.peakBytes()[0]).as("seed %d", seed).isLessThanOrEqualTo(CAPACITY);
    }
}
