package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every policy of the catalog, and for each objective of the adaptive one. */
class PolicyContractTest {

    private static final int ACCESSES = 4000;

    static Stream<String> names() {
        return Stream.concat(
                PolicyCatalog.kinds().stream().map(PolicyKind::name),
                Stream.of("bytes", "jobs", "time").map(objective -> "adaptive for " + objective));
    }

    private static TierHierarchy tiers(boolean copies, long... capacities) {
        TierSpec[] tiers = new TierSpec[capacities.length + 1];
        for (int i = 0; i < capacities.length; i++) {
            tiers[i] = new TierSpec("t" + i, capacities[i], 1000L * (i + 1), 1_000_000_000 / (i + 1), copies);
        }
        tiers[capacities.length] = new TierSpec("home", TierSpec.UNBOUNDED, 8_000_000, 100_000_000, false);
        return TierHierarchy.of(tiers);
    }

    private static PlacementPolicy policy(String name, TierHierarchy hierarchy) {
        String[] parts = name.split(" for ");
        Map<String, String> parameters = parts.length == 1 ? Map.of() : Map.of("objective", parts[1]);
        return PolicyCatalog.create(parts[0], parameters, hierarchy);
    }

    private static CheckedTiers randomRun(PlacementPolicy policy, TierHierarchy hierarchy, long seed) {
        Random random = new Random(seed);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        long nowMs = 1_000_000;
        for (int i = 0; i < ACCESSES; i++) {
            nowMs += random.nextInt(3000);
            long object = (long) (Math.abs(random.nextGaussian()) * 60);
            int dice = random.nextInt(200);
            if (dice == 0) {
                checked.vanish(policy, nowMs, object);
            } else if (dice == 1) {
                // A clock that jumps either way.
                nowMs += random.nextInt(2) == 0 ? 86_400_000L : -Math.min(nowMs, 7_200_000L);
            } else if (dice == 2) {
                checked.resize(policy, nowMs, random.nextInt(hierarchy.base()), 500L + random.nextInt(2000));
            }
            // Some objects are larger than every tier, some are empty, some change their size.
            long size =
                    object % 17 == 0 ? 100_000 : object % 13 == 0 ? 0 : 10 + object + (object % 7 == 0 ? i / 400 : 0);
            if (dice < 20) {
                checked.write(policy, nowMs, object, size + random.nextInt(40));
            } else {
                checked.read(policy, nowMs, object, size);
            }
            policy.tick(nowMs, checked);
        }
        return checked;
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_randomWithCopies_neverOverfillsATier(String name) {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        TierHierarchy hierarchy = tiers(true, 1000, 3000);
        randomRun(policy(name, hierarchy), hierarchy, seed);
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_randomWithMoves_neverOverfillsATier(String name) {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        TierHierarchy hierarchy = tiers(false, 700, 1500, 2500);
        // With moves a tier that shrinks hands what it holds down; capacities are kept after every access.
        Random random = new Random(seed);
        PlacementPolicy policy = policy(name, hierarchy);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        for (int i = 0; i < ACCESSES; i++) {
            long object = (long) (Math.abs(random.nextGaussian()) * 60);
            checked.read(policy, 1000L * i, object, 10 + object);
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_sameCallsTwice_sameRequests(String name) {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        TierHierarchy hierarchy = tiers(true, 1000);
        String once = randomRun(policy(name, hierarchy), hierarchy, seed).log();
        String twice = randomRun(policy(name, hierarchy), hierarchy, seed).log();
        assertThat(once).isEqualTo(twice).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_tierOfSizeZero_keepsOnlyEmptyObjectsThere(String name) {
        TierHierarchy hierarchy = tiers(true, 0, 2000);
        PlacementPolicy policy = policy(name, hierarchy);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        for (int i = 0; i < 500; i++) {
            checked.read(policy, i * 1000L, i % 20, 100);
            assertThat(checked.used(0)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_objectLargerThanEveryTier_staysAtHome(String name) {
        TierHierarchy hierarchy = tiers(true, 1000, 3000);
        PlacementPolicy policy = policy(name, hierarchy);
        for (int i = 0; i < 100; i++) {
            policy.access(new Access().read(i * 1000L, 1, 3001, 10, 2), (object, size, from, to) -> {
                throw new AssertionError("requested into tier " + to);
            });
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_clockJumpsBackAndForth_goesOnPlacing(String name) {
        TierHierarchy hierarchy = tiers(true, 500);
        PlacementPolicy policy = policy(name, hierarchy);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        long[] starts = {1_700_000_000_000L, 0, 4_000_000_000_000L, 1_700_000_000_000L};
        for (int era = 0; era < starts.length; era++) {
            for (int i = 0; i < 100; i++) {
                checked.read(policy, starts[era] + i * 1000L, era * 10 + i % 5, 100);
            }
        }
        assertThat(checked.used(0)).as("as full as the policy's parts allow").isBetween(400L, 500L);
        assertThat(policy.explain(5_000_000_000_000L, 30)).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("names")
    void access_hotObjectsThatFit_climbIntoTheFastestTier(String name) {
        TierHierarchy hierarchy = tiers(true, 10_000);
        PlacementPolicy policy = policy(name, hierarchy);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        for (int i = 0; i < 50; i++) {
            checked.read(policy, i * 1000L, i % 5, 1000);
        }
        for (long object = 0; object < 5; object++) {
            assertThat(checked.tier(object)).as("object %d", object).isZero();
        }
        assertThat(policy.trackedObjects()).isEqualTo(5);
        assertThat(policy.memoryBytes()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("names")
    void moved_bySomebodyElse_isTakenAsTheTruth(String name) {
        TierHierarchy hierarchy = tiers(true, 10_000);
        PlacementPolicy policy = policy(name, hierarchy);
        MoveRequests none = (object, size, from, to) -> {
            throw new AssertionError("nothing is to be requested");
        };
        policy.moved(1000, 7, 4000, 0, none);
        policy.moved(2000, 7, 4000, 1, none);
        policy.moved(3000, 7, 4000, 0, none);
        policy.vanished(4000, 7);
        assertThatCode(() -> policy.vanished(5000, 7)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("names")
    void moveFailed_afterARequest_freesTheRoom(String name) {
        TierHierarchy hierarchy = tiers(true, 1000);
        PlacementPolicy policy = policy(name, hierarchy);
        int[] requests = {0};
        for (int i = 0; i < 100; i++) {
            long now = i * 1000L;
            int before = requests[0];
            policy.access(new Access().read(now, 1, 900, 900, 1), (object, size, from, to) -> requests[0]++);
            if (requests[0] > before) {
                policy.moveFailed(now, 1, 900, 1, (object, size, from, to) -> {});
            }
        }
        assertThat(requests[0]).as("it is tried again on further accesses").isGreaterThan(1);
    }

    /** Memory of fifty objects that none leaves, whatever is asked. */
    @ParameterizedTest
    @MethodSource("names")
    void moveFailed_ofADrop_isNotAskedForAgainBeforeAnAccess(String name) {
        TierHierarchy hierarchy = tiers(true, 1000);
        PlacementPolicy policy = policy(name, hierarchy);
        Set<Long> inMemory = new HashSet<>();
        Deque<Long> drops = new ArrayDeque<>();
        Deque<Long> promotions = new ArrayDeque<>();
        MoveRequests requests = (object, size, from, to) -> (to == 1 ? drops : promotions).add(object);
        for (int i = 0; i < 2000; i++) {
            long now = i * 1000L;
            long read = i / 10;
            policy.access(new Access().read(now, read, 20, 20, inMemory.contains(read) ? 0 : 1), requests);
            int answers = 0;
            while (!drops.isEmpty() || !promotions.isEmpty()) {
                long object = drops.isEmpty() ? promotions.remove() : drops.remove();
                if (!inMemory.contains(object) && inMemory.size() < 50) {
                    inMemory.add(object);
                    policy.moved(now, object, 20, 0, requests);
                } else {
                    policy.moveFailed(now, object, 20, inMemory.contains(object) ? 0 : 1, requests);
                }
                assertThat(++answers).as("requests for one access").isLessThan(10);
            }
        }
        assertThat(inMemory.size()).isGreaterThan(40);
    }

    /** Nothing is read any more, and somebody else waits for the room. */
    @ParameterizedTest
    @MethodSource("names")
    void tick_afterAFailedDrop_asksForTheRoomThatIsMissing(String name) {
        PlacementPolicy policy = policy(name, tiers(true, 1000));
        List<Long> drops = new ArrayList<>();
        MoveRequests requests = (object, size, from, to) -> {
            if (to == 1) {
                drops.add(object);
            }
        };
        policy.moved(0, 1, 900, 0, requests);
        policy.resize(1000, 0, 500, requests);
        assertThat(drops).containsExactly(1L);
        policy.moveFailed(2000, 1, 900, 0, requests);

        policy.tick(3000, requests);
        policy.tick(4000, requests);

        assertThat(drops).as("once: the second tick finds it under way").containsExactly(1L, 1L);
    }

    @ParameterizedTest
    @MethodSource("names")
    void explain_knownObject_hasASentence(String name) {
        TierHierarchy hierarchy = tiers(true, 3000);
        PlacementPolicy policy = policy(name, hierarchy);
        CheckedTiers checked = new CheckedTiers(hierarchy);
        for (int i = 0; i < 200; i++) {
            checked.read(policy, i * 1000L, i % 3 == 0 ? 1 : i % 10, 1000);
        }
        Explanation explanation = policy.explain(200_000, 1);
        assertThat(explanation).isNotNull();
        assertThat(explanation.sentence()).isNotBlank();
        assertThat(explanation.object()).isEqualTo(1);
        assertThat(explanation.tier()).isEqualTo(checked.tier(1));
        assertThat(policy.explain(200_000, 999)).isNull();
    }
}
