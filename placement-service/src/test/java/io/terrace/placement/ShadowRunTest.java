package io.terrace.placement;

import static io.terrace.placement.FakeDataNode.DROP;
import static io.terrace.placement.FakeDataNode.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies that decide and move nothing. */
class ShadowRunTest extends SteppedLoop {

    /** The same accesses, twice: told to a candidate in a shadow run, then to the same one in force. */
    @ParameterizedTest
    @MethodSource("policies")
    void shadowRun_sameAccesses_decidesAsTheRealThingAndMovesNothing(String policy) {
        long seed = System.nanoTime();
        PolicyChoice candidate = applied("policy: " + policy);
        PolicyChoice idle = applied("policy: idecider", "parameters: {threshold: 1000000}");
        placement.policy(nowMs, idle);
        accesses(new Random(seed), 40);
        assertThat(placement.startShadowRun(nowMs, candidate, 3_600_000)).isNull();
        accesses(new Random(seed + 1), 150);
        ShadowRun shadowRun = placement.shadowRun();
        assertThat(one.orders).as("nothing moves, seed %d", seed).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES)).isZero();
        List<String> shadow = new ArrayList<>();
        for (ShadowRun.Decision decision : shadowRun.latest()) {
            shadow.add(0, text(decision.order()));
        }

        placement = new PlacementEngine(settings, names, metricRegistry);
        one.wantsFull = true;
        one.restarts();
        nowMs = 1_000;
        placement.activate(8, OperatorState.initial());
        placement.policy(nowMs, idle);
        accesses(new Random(seed), 40);
        assertThat(placement.policy(nowMs, candidate)).isNull();
        accesses(new Random(seed + 1), 150);
        List<String> real = one.orders.stream().map(ShadowRunTest::text).toList();
        assertThat(real).as("seed %d", seed).isNotEmpty();
        int first = Math.max(0, real.size() - ShadowRun.DECISIONS_KEPT);
        assertThat(shadow).as("seed %d", seed).isEqualTo(real.subList(first, real.size()));
        assertThat(shadowRun.totals().promotions())
                .isEqualTo(
                        real.stream().filter(text -> text.startsWith("PROMOTE")).count());
        assertThat(shadowRun.peakBytes()).isLessThanOrEqualTo(one.capacityBytes);
    }

    private static String text(MoveOrder order) {
        return FakeDataNode.kind(order) + " " + order.block();
    }

    private void accesses(Random random, int beats) {
        for (int i = 0; i < beats; i++) {
            int id = (int) Math.min(30, -Math.log(random.nextDouble()) * 8);
            one.reads(block(id, 1 + id % 4), 1 + random.nextInt(4));
            beat(one);
        }
    }

    @Test
    void shadowRun_timeIsOver_endsAndKeepsItsResult() {
        assertThat(placement.startShadowRun(nowMs, applied("policy: lru"), 5_000))
                .isNull();
        assertThat(placement.startShadowRun(nowMs, applied("policy: arc"), 5_000))
                .contains("a dry run of policy");
        accesses(new Random(1), 10);
        nowMs += 5_000;
        beat(one);
        ShadowRun shadowRun = placement.shadowRun();
        assertThat(shadowRun.isRunning(nowMs)).isFalse();
        assertThat(shadowRun.ranMs(nowMs)).isEqualTo(5_000);
        assertThat(shadowRun.totals().reads()).isPositive();
        assertThat(placement.startShadowRun(nowMs, applied("policy: arc"), 5_000))
                .isNull();
        placement.endShadowRun(nowMs);
        assertThat(placement.shadowRun().isRunning(nowMs)).isFalse();
    }

    @Test
    void shadowRun_policyFails_endsItAndNothingElse() {
        placement = new PlacementEngine(settings, names, metricRegistry, BreakingLru::make);
        placement.activate(8, OperatorState.initial());
        beat(one);
        assertThat(placement.startShadowRun(nowMs, applied("policy: lru"), 60_000))
                .isNull();
        warm(one, block(1, 1));
        assertThat(placement.shadowRun().problem()).contains("planted");
        assertThat(one.memory).containsKey(1L);
        assertThat(one.orderKinds()).doesNotContain(DROP, PROMOTE);
    }
}
