package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.metrics.Metric;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.MoveRequests;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies put in each other's place, and policies that break. */
class PolicyChangeTest extends SteppedLoop {

    private static final PolicyChoice NEVER_IN_A = applied("policy: lru", "rules: [{path: /a/**, place: never}]");

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

    /** How often a policy was told that a move was not made. */
    private int corrected;

    private void countCorrections() {
        placement = new PlacementEngine(
                settings, names, metricRegistry, (spec, tiers) -> new ForwardingPolicy(spec.make(tiers)) {
                    @Override
                    public void moveFailed(
                            long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
                        corrected++;
                        super.moveFailed(nowMs, object, sizeBytes, tier, moveRequests);
                    }
                });
        placement.activate(8, OperatorState.initial());
    }

    /** Blocks of 1 MB are resident, of a policy with half the room for them, and moves are paused. */
    private void halveTheRoomOf(int blocks) {
        one.capacityBytes = blocks * MB;
        for (int id = 1; id <= blocks; id++) {
            one.arrives(block(id, 1), false);
        }
        beat(one);
        beat(one);
        for (int id = 1; id <= blocks; id++) {
            one.reads(block(id, 1), 1);
        }
        beat(one);
        placement.operatorState(OperatorState.initial().withMoves(false));
        one.capacityBytes /= 2;
        beat(one);
        assertThat(one.memory).hasSize(blocks);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void policy_switched_whereMoreIsResidentThanThereIsRoomFor_asksWhatDoesNotFitToLeaveOnce(String policy) {
        countCorrections();
        halveTheRoomOf(200);
        corrected = 0;
        assertThat(placement.policy(nowMs, applied("policy: " + policy))).isNull();
        assertThat(corrected)
                .as("100 moves withdrawn, and a few requests for a block that is read")
                .isLessThan(1_000);
        beat(one);
        assertThat(one.memory).as("moves are paused").hasSize(200);
        placement.operatorState(OperatorState.initial());
        beat(one);
        beat(one);
        assertThat(one.usedBytes()).isEqualTo(one.capacityBytes);
        assertThat(one.orders).allMatch(order -> !order.isPromotion()).hasSize(100);
    }

    @Test
    void dryRun_whereMoreIsResidentThanThereIsRoomFor_asksWhatDoesNotFitToLeaveOnce() {
        countCorrections();
        halveTheRoomOf(200);
        corrected = 0;
        assertThat(placement.startShadowRun(nowMs, applied("policy: lru"), 60_000))
                .isNull();
        assertThat(corrected).as("by its policy").isLessThan(1_000);
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
        placement = new PlacementEngine(settings, names, metricRegistry, (spec, tiers) -> {
            if (spec.policy().equals("lru")) {
                throw new NoClassDefFoundError("it/unimi/dsi/fastutil/Nothing");
            }
            return spec.make(tiers);
        });
        placement.activate(8, OperatorState.initial());
        beat(one);
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("NoClassDefFoundError");
        assertThat(placement.policyInForce().spec().policy())
                .isEqualTo(settings.policy().spec().policy());
        assertThat(placement.policyProblem()).contains("lru");
        assertThat(metricRegistry.value(Metric.PLACEMENT_POLICY_REFUSED)).isEqualTo(1);
        warm(one, block(1, 1));
        assertThat(placement.policy(nowMs, applied("policy: arc"))).isNull();
        assertThat(placement.policyProblem()).isNull();
    }

    @Test
    void policy_firstCannotBeMade_lastResortDecides() {
        boolean[] broken = {true};
        placement = new PlacementEngine(settings, names, metricRegistry, (spec, tiers) -> {
            if (broken[0] && spec.equals(settings.policy().spec())) {
                throw new UnsatisfiedLinkError("gone");
            }
            return spec.make(tiers);
        });
        placement.activate(8, OperatorState.initial());
        warm(one, block(1, 1));
        assertThat(placement.policyInForce().source()).isEqualTo(Source.FALLBACK);
        assertThat(placement.policyProblem()).contains("UnsatisfiedLinkError");
        broken[0] = false;
        assertThat(placement.policy(nowMs, settings.policy())).isNull();
        assertThat(placement.policyProblem()).isNull();
        assertThat(one.memory).containsKey(1L);
    }

    @Test
    void policy_breaksWhileItLearns_oldOneGoesOnWithWhatItKnew() {
        placement = new PlacementEngine(settings, names, metricRegistry, BreakingLru::make);
        placement.activate(8, OperatorState.initial());
        warm(one, block(1, 1));
        assertThat(placement.startShadowRun(nowMs, applied("policy: lru"), 60_000))
                .contains("planted");
        assertThat(placement.shadowRun()).isNull();
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("planted");
        assertThat(placement.policyInForce().spec().policy())
                .isEqualTo(settings.policy().spec().policy());
        assertThat(placement.policyProblem()).contains("planted");
        warm(one, block(2, 1));
        assertThat(one.memory.keySet()).containsExactly(1L, 2L);
    }

    @Test
    void policy_breaksWhileItDecides_itsRulesEndWithIt() {
        placement = new PlacementEngine(settings, names, metricRegistry, BreakingLru::make);
        placement.activate(8, OperatorState.initial());
        beat(one);
        assertThat(placement.policy(nowMs, NEVER_IN_A)).isNull();
        name(block(1, 1), 101, "/a/file");
        name(block(2, 1), 102, "/b/file");
        one.reads(block(2, 1), 1);
        assertThatThrownBy(() -> beat(one))
                .isInstanceOf(NoClassDefFoundError.class)
                .satisfies(e -> {
                    // As the loop does.
                    placement.reset();
                    assertThat(placement.distrustPolicy(e)).isTrue();
                });
        assertThat(placement.policy(nowMs, NEVER_IN_A)).contains("planted");
        placement.activate(9, OperatorState.initial());
        warm(one, block(1, 1));
    }

    @Test
    void policy_breaksAsAnEpochBegins_itsRulesEndWithIt() {
        placement = new PlacementEngine(settings, names, metricRegistry, BreakingLru::make);
        assertThat(placement.policy(nowMs, NEVER_IN_A)).isNull();
        name(block(1, 1), 101, "/a/file");
        one.reads(block(1, 1), 1);
        beat(one);
        placement.activate(8, OperatorState.initial());
        assertThat(placement.policyProblem()).contains("planted");
        warm(one, block(1, 1));
    }

    @Test
    void policy_cannotBeMadeForANewDataNode_itsRulesEndWithIt() {
        boolean[] broken = {false};
        placement = new PlacementEngine(settings, names, metricRegistry, (spec, tiers) -> {
            if (broken[0] && spec.policy().equals("lru")) {
                throw new UnsatisfiedLinkError("gone");
            }
            return spec.make(tiers);
        });
        placement.activate(8, OperatorState.initial());
        assertThat(placement.policy(nowMs, NEVER_IN_A)).isNull();
        name(block(1, 1), 101, "/a/file");
        broken[0] = true;
        warm(one, block(1, 1));
        assertThat(placement.policyInForce().spec().rules()).isEmpty();
    }

    @Test
    void policy_breaksWhileItDecides_isReplacedInTheNextEpoch() {
        placement = new PlacementEngine(settings, names, metricRegistry, BreakingLru::make);
        placement.activate(8, OperatorState.initial());
        beat(one);
        assertThat(placement.policy(nowMs, applied("policy: lru"))).isNull();
        one.reads(block(1, 1), 1);
        assertThatThrownBy(() -> beat(one))
                .isInstanceOf(NoClassDefFoundError.class)
                .satisfies(e -> assertThat(placement.distrustPolicy(e)).isTrue());
        placement.standDown();
        assertThat(placement.policy(nowMs, applied("policy: lru"))).contains("planted");
        placement.activate(9, OperatorState.initial());
        assertThat(placement.policyInForce().spec().policy())
                .isEqualTo(settings.policy().spec().policy());
        beat(one);
        assertThat(placement.distrustPolicy(new IllegalStateException("of the loop")))
                .isFalse();
        assertThat(placement.policy(nowMs, applied("policy: arc"))).isNull();
        assertThat(placement.policyProblem()).isNull();
    }
}
