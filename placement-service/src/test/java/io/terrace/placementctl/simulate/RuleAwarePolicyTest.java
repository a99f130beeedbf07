package io.terrace.placementctl.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.simulate.RuleAwarePolicy.PoolReads;
import io.terrace.policy.replay.Trace;
import org.junit.jupiter.api.Test;

/** Simulations of policy files whose rules are known to hold for certain objects. */
class RuleAwarePolicyTest {

    private static final long SIZE = 10;

    /** Ten objects of ten bytes, each in its turn, in memory of 50 bytes; the rule of object i is {@code rules[i]}. */
    private static PolicyReplay replay(int[] rules, String... lines) throws PolicyFileException {
        PolicySpec spec = PolicyFile.read("test", String.join("\n", lines));
        Trace.Builder trace = new Trace.Builder("test");
        for (int i = 0; i < 1000; i++) {
            trace.add(i * 1000L, i % 10, SIZE, SIZE, false, -1);
        }
        return PolicyReplay.of("candidate", spec, new RuleAssignments(rules, new long[10]), trace.build(), 50, 0, 1);
    }

    @Test
    void rule_never_leavesRoomForTheRest() throws Exception {
        int[] none = new int[10];
        PolicyReplay whole = replay(none, "policy: lru");
        assertThat(whole.outcome().tierReads()[0]).as("a loop beats LRU").isZero();
        PolicyReplay five = replay(
                new int[] {1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, "policy: lru", "rules: [{path: /tmp/**, place: never}]");
        assertThat(five.outcome().tierReads()[0])
                .as("half of the reads, but the first round's")
                .isEqualTo(495);
        PolicyReplay unknown =
                replay(RuleAssignments.none(10).rules(), "policy: lru", "rules: [{path: /a, place: never}]");
        assertThat(unknown.outcome().tierReads()[0]).isZero();
        assertThat(unknown.rules().unknown()).isEqualTo(10);
    }

    @Test
    void rule_pin_takesRoomFromThePolicyUpToItsBound() throws Exception {
        int[] pinned = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
        PolicyReplay replay = replay(pinned, "policy: lru", "rules: [{path: /dim/**, place: pin, most: 30}]");
        assertThat(replay.outcome().tierReads()[0]).isEqualTo(297);
        assertThat(replay.outcome().peakBytes()[0]).isEqualTo(50);
        PolicyReplay all = replay(pinned, "policy: lru", "rules: [{path: /dim/**, place: pin}]");
        assertThat(all.outcome().tierReads()[0]).isEqualTo(396);
    }

    @Test
    void rule_pin_readMoreOftenThanACopyTakes_isCopiedOnce() throws Exception {
        PolicySpec spec = PolicyFile.read("test", "policy: lru\nrules: [{path: /dim/**, place: pin}]");
        Trace.Builder trace = new Trace.Builder("test");
        for (int i = 0; i < 1000; i++) {
            trace.add(i * 100L, 0, SIZE, SIZE, false, -1);
        }
        RuleAssignments pinned = new RuleAssignments(new int[] {1}, new long[1]);
        PolicyReplay replay = PolicyReplay.of("candidate", spec, pinned, trace.build(), 50, 0, 1);
        assertThat(replay.outcome().tierReads()[0]).isGreaterThan(900);
    }

    @Test
    void rule_prefer_countsMore() throws Exception {
        int[] preferred = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0};
        PolicyReplay replay =
                replay(preferred, "policy: decay-admit", "rules: [{path: /hot/**, place: prefer, weight: 50}]");
        assertThat(replay.outcome().tierReads()[0]).isEqualTo(495);
    }

    @Test
    void pool_bounded_keepsALoopFromTheRest() throws Exception {
        PolicyReplay replay = replay(
                new int[] {1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
                "policy: lru",
                "pools: [{name: loop, share: 20%}]",
                "rules: [{path: /loop/**, pool: loop}]");
        assertThat(replay.pools()).containsExactly(new PoolReads("default", 400, 396), new PoolReads("loop", 600, 0));
        assertThat(replay.outcome().peakBytes()[0]).isLessThanOrEqualTo(50);
    }
}
