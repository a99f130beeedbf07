package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PooledPolicyTest {

    private static final long MB = 1 << 20;
    private static final TierHierarchy TIERS = TierHierarchy.of(
            new TierSpec("memory", 100 * MB, 1, 1_000_000_000, true),
            new TierSpec("home", TierSpec.UNBOUNDED, 1000, 1_000_000, false));

    private final CheckedTiers tiers = new CheckedTiers(TIERS);
    private long nowMs;

    private static Function<TierHierarchy, PlacementPolicy> maker(String policy) {
        return hierarchy -> PolicyCatalog.create(policy, Map.of(), hierarchy);
    }

    private static PooledPolicy lru(PoolShare... shares) {
        return new PooledPolicy(
                TIERS,
                Map.of("memory", List.of(shares)),
                List.of(shares).stream().map(share -> maker("lru")).toList());
    }

    private void read(PooledPolicy policy, int pool, long... objects) {
        for (long object : objects) {
            nowMs += 1000;
            policy.tick(nowMs, tiers);
            policy.access(
                    new Access()
                            .read(nowMs, object, 10 * MB, 10 * MB, tiers.tier(object))
                            .in(pool),
                    tiers.sized(object, 10 * MB));
            policy.moved(nowMs, object, 10 * MB, tiers.tier(object), tiers);
            tiers.checkRoom();
        }
    }

    private static long used(PooledPolicy policy, int pool) {
        return policy.pools().get(pool).usedBytes() / MB;
    }

    private static long[] objects(int from, int count) {
        return LongStream.range(from, from + count).toArray();
    }

    @Test
    void access_pooledObjects_stayWithinTheirShare() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, true));
        read(policy, 1, objects(100, 20));
        assertThat(used(policy, 1)).isEqualTo(30);
        assertThat(tiers.used(0)).isEqualTo(30 * MB);
    }

    @Test
    void access_shareOfAHundredth_isGiven() {
        PooledPolicy policy = lru(new PoolShare("default", 0.99, 0.99, false), new PoolShare("etl", 0.01, 0.01, false));
        for (int i = 0; i < 3; i++) {
            nowMs += 1000;
            policy.tick(nowMs, tiers);
            policy.access(
                    new Access().read(nowMs, 7, MB / 2, MB / 2, tiers.tier(7)).in(1), tiers.sized(7, MB / 2));
            policy.moved(nowMs, 7, MB / 2, tiers.tier(7), tiers);
        }
        assertThat(tiers.tier(7)).isZero();
    }

    @Test
    void access_roomUnused_isLentAndGivenBack() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, true));
        read(policy, 0, objects(0, 20));
        assertThat(used(policy, 0))
                .as("all of the memory, while the other pool is empty")
                .isEqualTo(100);
        read(policy, 1, objects(100, 20));
        assertThat(used(policy, 1)).isEqualTo(30);
        assertThat(used(policy, 0)).isEqualTo(70);
        read(policy, 0, objects(0, 20));
        assertThat(used(policy, 1)).as("what is its own is not taken").isEqualTo(30);
    }

    @Test
    void access_poolThatDoesNotLend_keepsItsRoomFree() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, false));
        read(policy, 0, objects(0, 20));
        assertThat(used(policy, 0)).isEqualTo(70);
    }

    @Test
    void access_twoBorrow_theOneWithMoreGivesBack() {
        PooledPolicy policy = lru(
                new PoolShare("default", 0.4, 1, true),
                new PoolShare("a", 0.3, 0.6, true),
                new PoolShare("b", 0.3, 0.3, true));
        read(policy, 1, objects(100, 20));
        assertThat(used(policy, 1)).isEqualTo(60);
        read(policy, 0, objects(0, 4));
        read(policy, 2, objects(200, 20));
        assertThat(used(policy, 2)).isEqualTo(30);
        assertThat(used(policy, 1)).isEqualTo(30);
        assertThat(used(policy, 0)).isEqualTo(40);
    }

    @Test
    void moved_poolUnknown_goesFirstAndJoinsWhenRead() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, true));
        for (long object : objects(0, 10)) {
            tiers.put(object, 10 * MB, 0);
            policy.moved(nowMs, object, 10 * MB, 0, tiers);
        }
        policy.belongs(nowMs, 0, 1, tiers);
        assertThat(used(policy, 1)).isEqualTo(10);
        read(policy, 0, 3, 50);
        assertThat(tiers.tier(1))
                .as("the first of those whose pool is not known")
                .isEqualTo(1);
        assertThat(List.of(tiers.tier(0), tiers.tier(2), tiers.tier(3), tiers.tier(50)))
                .containsOnly(0);
        assertThat(used(policy, 0)).isEqualTo(20);
    }

    @Test
    void moveFailed_ofADrop_makesRoomWithTheNextAccess() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, true));
        for (long object : objects(0, 10)) {
            policy.moved(nowMs, object, 10 * MB, 0, tiers);
        }
        List<Long> asked = new ArrayList<>();
        Access access = new Access().read(1, 50, 10 * MB, 10 * MB, 1);
        policy.access(access, (object, size, from, to) -> asked.add(object));
        assertThat(asked).containsExactly(0L, 50L);
        policy.moveFailed(2, 0, 10 * MB, 0, (object, size, from, to) -> asked.add(object));
        assertThat(asked).hasSize(2);
        policy.access(access, (object, size, from, to) -> asked.add(object));
        assertThat(asked).containsExactly(0L, 50L, 1L);
    }

    @Test
    void access_objectChangedPools_countsInTheNewOne() {
        PooledPolicy policy = lru(new PoolShare("default", 0.7, 1, true), new PoolShare("etl", 0.3, 0.3, true));
        read(policy, 0, 1, 2);
        read(policy, 1, 1);
        assertThat(used(policy, 0)).isEqualTo(10);
        assertThat(used(policy, 1)).isEqualTo(10);
        Explanation why = policy.explain(nowMs, 1);
        assertThat(why).isNotNull();
        assertThat(why.sentence()).startsWith("pool etl, 10 of 30 MB used: ");
    }

    @Test
    void constructor_sharesOverAll_isRefused() {
        assertThatThrownBy(() -> lru(new PoolShare("default", 0.5, 1, true), new PoolShare("etl", 0.6, 0.6, true)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add up to");
        assertThatThrownBy(() -> new PoolShare("etl", 0.5, 0.4, true)).hasMessageContaining("pool etl");
    }

    static List<String> policies() {
        return PolicyCatalog.kinds().stream().map(PolicyKind::name).toList();
    }

    /** Whatever happens, no pool's neighbour goes short of its own share, and the memory is never overbooked. */
    @ParameterizedTest
    @MethodSource("policies")
    void random_anyPolicy_keepsSharesAndMemory(String name) {
        long seed = 20261121;
        Random random = new Random(seed);
        PooledPolicy policy = new PooledPolicy(
                TIERS,
                Map.of(
                        "memory",
                        List.of(
                                new PoolShare("default", 0.5, 1, true),
                                new PoolShare("a", 0.3, 0.8, true),
                                new PoolShare("b", 0.2, 0.2, false))),
                List.of(maker("lru"), maker(name), maker(name)));
        Map<Long, Long> sizes = new HashMap<>();
        long memory = 100 * MB;
        for (int i = 0; i < 20_000; i++) {
            nowMs += random.nextInt(300);
            long object = (long) Math.min(400, -Math.log(random.nextDouble()) * 60);
            if (random.nextInt(50) == 0) {
                sizes.put(object, (1 + random.nextInt(12)) * MB);
            }
            long size = sizes.computeIfAbsent(object, id -> (1 + random.nextInt(12)) * MB);
            int pool = random.nextInt(100) == 0 ? random.nextInt(3) : (int) (object % 3);
            switch (random.nextInt(60)) {
                case 0 -> {
                    memory = (20 + random.nextInt(100)) * MB;
                    tiers.resize(policy, nowMs, 0, memory);
                }
                case 1 -> {
                    tiers.vanish(policy, nowMs, object);
                    sizes.remove(object);
                }
                case 2 -> policy.belongs(nowMs, object, pool, tiers);
                case 3 -> policy.tick(nowMs, tiers);
                default -> {
                    tiers.sized(object, size);
                    policy.access(
                            new Access()
                                    .read(nowMs, object, size, size, tiers.tier(object))
                                    .in(pool),
                            tiers);
                    if (random.nextBoolean()) {
                        policy.moved(nowMs, object, size, tiers.tier(object), tiers);
                    }
                }
            }
            tiers.checkRoom();
            long used = policy.pools().stream().mapToLong(PoolUsage::usedBytes).sum();
            assertThat(used).as("seed %d, step %d", seed, i).isLessThanOrEqualTo(memory);
            for (PoolUsage use : policy.pools()) {
                assertThat(use.usedBytes())
                        .as("seed %d, step %d, pool %s", seed, i, use.name())
                        .isLessThanOrEqualTo(use.mostBytes());
            }
        }
        assertThat(policy.pools()).allMatch(use -> use.usedBytes() > 0);
    }

    /** Pools have a share of each tier, and return what they borrowed in each. */
    @ParameterizedTest
    @MethodSource("policies")
    void random_sharesOfTwoTiers_keepSharesAndTiers(String name) {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        sharesOfTwoTiers(name, seed);
    }

    /** An object was requested down and made room for another in the same step, and the second request came first. */
    @Test
    void sharesOfTwoTiers_objectThatLeavesTwiceInAStep_isRequestedInOrder() {
        sharesOfTwoTiers("arc", 57);
    }

    private void sharesOfTwoTiers(String name, long seed) {
        Random random = new Random(seed);
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", 100 * MB, 1, 1_000_000_000, true),
                new TierSpec("nvm", 300 * MB, 10, 500_000_000, true),
                new TierSpec("home", TierSpec.UNBOUNDED, 1000, 1_000_000, false));
        CheckedTiers checked = new CheckedTiers(hierarchy);
        PooledPolicy policy = new PooledPolicy(
                hierarchy,
                Map.of(
                        "memory", List.of(new PoolShare("default", 0.6, 1, true), new PoolShare("etl", 0.4, 0.9, true)),
                        "nvm", List.of(new PoolShare("default", 0.8, 1, true), new PoolShare("etl", 0.2, 0.3, false))),
                List.of(maker(name), maker(name)));
        Set<String> everUsed = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            nowMs += random.nextInt(300);
            long object = (long) Math.min(400, -Math.log(random.nextDouble()) * 60);
            int pool = (int) (object % 2);
            long size = (1 + object % 12) * MB;
            if (random.nextInt(200) == 0) {
                checked.resize(policy, nowMs, random.nextInt(2), (20 + random.nextInt(280)) * MB);
            }
            if (random.nextInt(20) == 0) {
                policy.tick(nowMs, checked);
            }
            checked.sized(object, size);
            policy.access(
                    new Access()
                            .read(nowMs, object, size, size, checked.tier(object))
                            .in(pool),
                    checked);
            if (random.nextBoolean()) {
                policy.moved(nowMs, object, size, checked.tier(object), checked);
            }
            checked.checkRoom();
            List<PoolUsage> usages = policy.pools();
            for (int tier = 0; tier < 2; tier++) {
                assertThat(usages.get(2 * tier).usedBytes()
                                + usages.get(2 * tier + 1).usedBytes())
                        .as("step %d, bytes in tier %d", i, tier)
                        .isEqualTo(checked.used(tier));
            }
            usages.stream()
                    .filter(usage -> usage.usedBytes() > 0)
                    .forEach(usage -> everUsed.add(usage.tier() + "/" + usage.name()));
            assertThat(usages).as("step %d", i).allSatisfy(usage -> assertThat(usage.usedBytes())
                    .isLessThanOrEqualTo(usage.mostBytes()));
        }
        assertThat(policy.pools()).extracting(PoolUsage::tier).containsExactly("memory", "memory", "nvm", "nvm");
        assertThat(everUsed).as("pools and tiers that were used").hasSize(4);
    }

    @Test
    void constructor_tierWithoutShares_isRefused() {
        assertThatThrownBy(() -> new PooledPolicy(TIERS, Map.of("nvm", List.of()), List.of(maker("lru"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1 pools, but 0 shares of tier memory");
    }
}
