package io.terrace.placement;

import static io.terrace.placement.Move.Kind.DROP;
import static io.terrace.placement.Move.Kind.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.metrics.Figure;
import io.terrace.placement.HeartbeatAnswer.Order;
import io.terrace.placement.NameView.Located;
import io.terrace.placement.NameView.Named;
import io.terrace.placement.PolicyChoice.Source;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.Policy;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.pool.PoolUse;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies put in each other's place, rules by path, rehearsals. */
class PolicyChangeTest extends SteppedLoop {

    static PolicyChoice applied(String... lines) {
        try {
            return new PolicyChoice(PolicyFile.read("test", String.join("\n", lines)), Source.APPLIED, 1);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> policies() {
        return PolicyCatalog.kinds().stream().map(PolicyKind::name).toList();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void policy_switched_movesNothingAndKnowsWhatIsResident(String policy) {
        warm(one, block(1, 3), block(2, 3), block(3, 3));
        for (int i = 10; i < 30; i++) {
            one.reads(block(i, 2), 2);
            beat(one);
        }
        one.orders.clear();
        assertThat(placement.policy(nowMs, applied("policy: " + policy))).isNull();
        for (int i = 0; i < 5; i++) {
            beat(one);
        }
        assertThat(one.orders).as("the act of switching moves nothing").isEmpty();
        assertThat(one.memory.keySet()).containsExactly(1L, 2L, 3L);
        assertThat(placement.policyInForce().spec().policy()).isEqualTo(policy);
        // What the new policy moves from now on fits what it inherited.
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            one.reads(block(10 + random.nextInt(20), 2), 1 + random.nextInt(9));
            beat(one);
            assertThat(one.usedBytes()).isLessThanOrEqualTo(one.capacityBytes);
        }
    }

    @Test
    void policy_switched_heatSpeaksForTheHot() {
        // A threshold that nothing reaches: everything is counted and nothing is promoted.
        placement.policy(nowMs, applied("policy: idecider", "parameters: {threshold: 1000}"));
        one.reads(block(1, 4), 50);
        one.reads(block(2, 4), 2);
        beat(one);
        placement.policy(nowMs, applied("policy: idecider", "parameters: {threshold: 40}"));
        one.reads(block(1, 4), 1);
        one.reads(block(2, 4), 1);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void policy_cannotBeMade_oldOneStaysAndLoopGoesOn() {
        placement = new Placement(settings, names, figures, (spec, tiers) -> {
            if (spec.policy().equals("lru")) {
                throw new NoClassDefFoundError("it/unimi/dsi/fastutil/Nothing");
            }
            return spec.make(tiers);
        });
        placement.activate(8, StandingOrders.initial());
        beat(one);
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("NoClassDefFoundError");
        assertThat(placement.policyInForce().spec().policy()).isEqualTo(settings.policy());
        assertThat(placement.policyTrouble()).contains("lru");
        assertThat(figures.value(Figure.PLACEMENT_POLICY_REFUSED)).isEqualTo(1);
        warm(one, block(1, 1));
        assertThat(placement.policy(nowMs, applied("policy: arc"))).isNull();
        assertThat(placement.policyTrouble()).isNull();
    }

    @Test
    void policy_firstCannotBeMade_lastResortDecides() {
        boolean[] broken = {true};
        placement = new Placement(settings, names, figures, (spec, tiers) -> {
            if (broken[0] && spec.parameters().isEmpty()) {
                throw new UnsatisfiedLinkError("gone");
            }
            return spec.make(tiers);
        });
        placement.activate(8, StandingOrders.initial());
        warm(one, block(1, 1));
        assertThat(placement.policyInForce().source()).isEqualTo(Source.FALLBACK);
        assertThat(placement.policyTrouble()).contains("UnsatisfiedLinkError");
        broken[0] = false;
        assertThat(placement.policy(nowMs, settings.choice())).isNull();
        assertThat(placement.policyTrouble()).isNull();
        assertThat(one.memory).containsKey(1L);
    }

    private void name(StampedBlock block, long inode, String path) {
        names.named.put(block.id(), new Named(inode, path));
        names.lengths.put(inode, block.lengthBytes());
    }

    @Test
    void rule_never_keepsOutAndTakesOut() {
        name(block(1, 1), 101, "/tmp/a");
        name(block(2, 1), 102, "/data/a");
        warm(one, block(1, 1), block(2, 1));
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).as("taken out without being read").containsExactly(2L);
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L);
        assertThat(placement.reports().block(nowMs, 1, 5).excluded()).contains("rule 1");
        assertThat(names.mostInOneLook).isLessThanOrEqualTo(settings.lockBlocks());
        // Renamed: heeded within a minute.
        name(block(1, 1), 101, "/data/b");
        nowMs += Rulings.VALID_MS;
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L, 1L);
    }

    @Test
    void pool_full_leavesTheRestAloneAndIsShown() {
        for (int i = 1; i <= 20; i++) {
            name(block(i, 1), 100 + i, (i <= 10 ? "/etl/f" : "/data/f") + i);
        }
        placement.policy(
                nowMs,
                applied("policy: lru", "pools: [{name: etl, share: 30%}]", "rules: [{path: /etl/**, pool: etl}]"));
        for (int i = 11; i <= 20; i++) {
            one.reads(block(i, 1), 1);
            beat(one);
        }
        beat(one);
        assertThat(one.memory).as("what the pool leaves unused is lent").hasSize(10);
        for (int i = 1; i <= 10; i++) {
            one.reads(block(i, 1), 1);
            beat(one);
        }
        beat(one);
        beat(one);
        assertThat(one.memory.keySet())
                .as("the pool has its share back, and no more")
                .containsExactlyInAnyOrder(14L, 15L, 16L, 17L, 18L, 19L, 20L, 8L, 9L, 10L);
        assertThat(placement.reports().nodes(nowMs).get(0).pools())
                .containsExactly(
                        new PoolUse("default", 7 * MB, 10 * MB, 7 * MB), new PoolUse("etl", 3 * MB, 3 * MB, 3 * MB));
        String why =
                placement.reports().block(nowMs, 9, 1).standings().get(0).why().sentence();
        assertThat(why).startsWith("pool etl, 3 of 3 MB used: ");

        // After a restart nobody knows whose the copies are; they stay, and join their pools within a minute.
        placement.standDown();
        placement.activate(9, StandingOrders.initial());
        one.wantsFull = true;
        beat(one);
        beat(one);
        nowMs += Rulings.VALID_MS;
        beat(one);
        beat(one);
        assertThat(one.memory).hasSize(10);
        assertThat(placement.reports().nodes(nowMs).get(0).pools())
                .extracting(PoolUse::usedBytes)
                .containsExactly(7 * MB, 3 * MB);
    }

    @Test
    void rule_pathUnknown_isNotPromoted() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.orders).isEmpty();
        assertThat(figures.value(Figure.PLACEMENT_RULES_DEFERRED)).isEqualTo(1);
    }

    @Test
    void rule_prefer_countsTwiceAndMore() {
        name(block(1, 1), 101, "/w/a");
        name(block(2, 1), 102, "/x/a");
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /w/*, place: prefer, weight: 3}]"));
        one.reads(block(1, 1), 1);
        one.reads(block(2, 1), 1);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void rule_pin_keepsWhatWasReadOnceWithinItsBound() {
        List<StampedBlock> blocks = List.of(block(1, 2), block(2, 2), block(3, 2));
        for (int i = 0; i < 3; i++) {
            name(blocks.get(i), 101 + i, "/dim/" + i);
            names.files.put(101L + i, List.of(new Located(blocks.get(i), 101 + i, List.of("one"))));
        }
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 4m}]"));
        beat(one);
        blocks.forEach(block -> one.reads(block, 1));
        beat(one);
        nowMs += Pins.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).contains(1L, 2L);
        assertThat(figures.value(Figure.PLACEMENT_RULES_PINS_REFUSED)).isPositive();
        for (int i = 10; i < 20; i++) {
            name(block(i, 5), 200 + i, "/other/" + i);
            one.reads(block(i, 5), 3);
            beat(one);
            beat(one);
        }
        assertThat(one.memory.keySet()).as("nothing pushes pinned blocks out").contains(1L, 2L);
        placement.policy(nowMs, applied("policy: lru"));
        one.orders.clear();
        nowMs += Pins.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.orders).as("no longer pinned, and no reason to go").isEmpty();
    }

    @Test
    void length_isAskedOnceALookAndOnlyOfFilesThatARuleWouldPin() {
        name(block(1, 2), 101, "/dim/a");
        name(block(2, 2), 101, "/dim/a");
        name(block(3, 11), 102, "/dim/tooLong");
        name(block(4, 11), 102, "/dim/tooLong");
        name(block(5, 2), 103, "/other/a");
        names.lengths.put(101L, 4 * MB);
        names.lengths.put(102L, 22 * MB);
        names.files.put(101L, List.of(new Located(block(1, 2), 101, List.of("one"))));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 8m}]"));
        beat(one);
        for (int i = 1; i <= 5; i++) {
            one.reads(block(i, i == 3 || i == 4 ? 11 : 2), 1);
        }
        beat(one);
        assertThat(names.lengthsAsked).containsExactlyInAnyOrder(101L, 102L);
        nowMs += Rulings.VALID_MS;
        one.reads(block(1, 2), 1);
        one.reads(block(5, 2), 1);
        beat(one);
        assertThat(names.lengthsAsked).as("it is pinned").hasSize(2);
        // What has taken all of its rule's room leaves none to ask for.
        names.lengths.put(101L, 8 * MB);
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 8m}]", "smallest: 1"));
        nowMs += Rulings.VALID_MS;
        one.reads(block(1, 2), 1);
        beat(one);
        names.lengthsAsked.clear();
        one.reads(block(3, 11), 1);
        beat(one);
        assertThat(names.lengthsAsked).isEmpty();
    }

    @Test
    void size_outOfBounds_isNotPromoted() {
        placement.policy(nowMs, applied("policy: idecider", "smallest: 2m"));
        one.reads(block(1, 1), 5);
        one.reads(block(2, 2), 5);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L);
    }

    /** The same accesses, twice: told to a candidate that is rehearsed, then to the same one in force. */
    @ParameterizedTest
    @MethodSource("policies")
    void rehearsal_sameAccesses_decidesAsTheRealThingAndMovesNothing(String policy) {
        long seed = System.nanoTime();
        PolicyChoice candidate = applied("policy: " + policy);
        PolicyChoice idle = applied("policy: idecider", "parameters: {threshold: 1000000}");
        placement.policy(nowMs, idle);
        accesses(new Random(seed), 40);
        assertThat(placement.rehearse(nowMs, candidate, 3_600_000)).isNull();
        accesses(new Random(seed + 1), 150);
        Rehearsal rehearsal = placement.rehearsal();
        assertThat(one.orders).as("nothing moves, seed %d", seed).isEmpty();
        assertThat(figures.value(Figure.PLACEMENT_PROMOTED_BYTES)).isZero();
        List<String> rehearsed = new ArrayList<>();
        for (Rehearsal.Decision decision : rehearsal.latest()) {
            rehearsed.add(0, text(decision.order()));
        }

        placement = new Placement(settings, names, figures);
        one.wantsFull = true;
        one.restarts();
        nowMs = 1_000;
        placement.activate(8, StandingOrders.initial());
        placement.policy(nowMs, idle);
        accesses(new Random(seed), 40);
        assertThat(placement.policy(nowMs, candidate)).isNull();
        accesses(new Random(seed + 1), 150);
        List<String> real = one.orders.stream().map(PolicyChangeTest::text).toList();
        assertThat(real).as("seed %d", seed).isNotEmpty();
        int first = Math.max(0, real.size() - Rehearsal.DECISIONS_KEPT);
        assertThat(rehearsed).as("seed %d", seed).isEqualTo(real.subList(first, real.size()));
        assertThat(rehearsal.totals().promotions())
                .isEqualTo(
                        real.stream().filter(text -> text.startsWith("PROMOTE")).count());
        assertThat(rehearsal.peakBytes()).isLessThanOrEqualTo(one.capacityBytes);
    }

    private static String text(Order order) {
        return order.kind() + " " + order.block();
    }

    private void accesses(Random random, int beats) {
        for (int i = 0; i < beats; i++) {
            int id = (int) Math.min(30, -Math.log(random.nextDouble()) * 8);
            one.reads(block(id, 1 + id % 4), 1 + random.nextInt(4));
            beat(one);
        }
    }

    @Test
    void rehearsal_timeIsOver_endsAndKeepsItsResult() {
        assertThat(placement.rehearse(nowMs, applied("policy: lru"), 5_000)).isNull();
        assertThat(placement.rehearse(nowMs, applied("policy: arc"), 5_000)).contains("being rehearsed");
        accesses(new Random(1), 10);
        nowMs += 5_000;
        beat(one);
        Rehearsal rehearsal = placement.rehearsal();
        assertThat(rehearsal.isRunning(nowMs)).isFalse();
        assertThat(rehearsal.ranMs(nowMs)).isEqualTo(5_000);
        assertThat(rehearsal.totals().reads()).isPositive();
        assertThat(placement.rehearse(nowMs, applied("policy: arc"), 5_000)).isNull();
        placement.endRehearsal(nowMs);
        assertThat(placement.rehearsal().isRunning(nowMs)).isFalse();
    }

    @Test
    void rehearsal_policyFails_endsItAndNothingElse() {
        placement = new Placement(settings, names, figures, PolicyChangeTest::lruBreaks);
        placement.activate(8, StandingOrders.initial());
        beat(one);
        assertThat(placement.rehearse(nowMs, applied("policy: lru"), 60_000)).isNull();
        warm(one, block(1, 1));
        assertThat(placement.rehearsal().trouble()).contains("planted");
        assertThat(one.memory).containsKey(1L);
        assertThat(one.orderKinds()).doesNotContain(DROP, PROMOTE);
    }

    /** Makes an {@code lru} that breaks at its first access, as one does whose jars do not fit. */
    private static Policy lruBreaks(PolicySpec spec, Hierarchy tiers) {
        Policy whole = spec.make(tiers);
        return !spec.policy().equals("lru")
                ? whole
                : (Policy) Proxy.newProxyInstance(
                        Policy.class.getClassLoader(), new Class<?>[] {Policy.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("access")) {
                                NoClassDefFoundError planted = new NoClassDefFoundError("planted");
                                planted.setStackTrace(new StackTraceElement[] {
                                    new StackTraceElement("io.terrace.policy.shelf.LruShelf", "access", null, 1)
                                });
                                throw planted;
                            }
                            return method.invoke(whole, arguments);
                        });
    }

    @Test
    void policy_breaksWhileItLearns_oldOneGoesOnWithWhatItKnew() {
        placement = new Placement(settings, names, figures, PolicyChangeTest::lruBreaks);
        placement.activate(8, StandingOrders.initial());
        warm(one, block(1, 1));
        assertThat(placement.rehearse(nowMs, applied("policy: lru"), 60_000)).contains("planted");
        assertThat(placement.rehearsal()).isNull();
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("planted");
        assertThat(placement.policyInForce().spec().policy()).isEqualTo(settings.policy());
        assertThat(placement.policyTrouble()).contains("planted");
        warm(one, block(2, 1));
        assertThat(one.memory.keySet()).containsExactly(1L, 2L);
    }

    @Test
    void policy_breaksWhileItDecides_isReplacedInTheNextEpoch() {
        placement = new Placement(settings, names, figures, PolicyChangeTest::lruBreaks);
        placement.activate(8, StandingOrders.initial());
        beat(one);
        assertThat(placement.policy(nowMs, applied("policy: lru"))).isNull();
        one.reads(block(1, 1), 1);
        assertThatThrownBy(() -> beat(one))
                .isInstanceOf(NoClassDefFoundError.class)
                .satisfies(e -> assertThat(placement.distrustPolicy(e)).isTrue());
        placement.standDown();
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("planted");
        placement.activate(9, StandingOrders.initial());
        assertThat(placement.policyInForce().spec().policy()).isEqualTo(settings.policy());
        beat(one);
        assertThat(placement.distrustPolicy(new IllegalStateException("of the loop")))
                .isFalse();
        assertThat(placement.policy(nowMs, applied("policy: arc"))).isNull();
        assertThat(placement.policyTrouble()).isNull();
    }
}
