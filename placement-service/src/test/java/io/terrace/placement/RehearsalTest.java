package io.terrace.placement;

import static io.terrace.placement.Move.Kind.DROP;
import static io.terrace.placement.Move.Kind.PROMOTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Figure;
import io.terrace.placement.HeartbeatAnswer.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies that decide and move nothing. */
class RehearsalTest extends SteppedLoop {

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
        List<String> real = one.orders.stream().map(RehearsalTest::text).toList();
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
        placement = new Placement(settings, names, figures, BreakingLru::make);
        placement.activate(8, StandingOrders.initial());
        beat(one);
        assertThat(placement.rehearse(nowMs, applied("policy: lru"), 60_000)).isNull();
        warm(one, block(1, 1));
        assertThat(placement.rehearsal().trouble()).contains("planted");
        assertThat(one.memory).containsKey(1L);
        assertThat(one.orderKinds()).doesNotContain(DROP, PROMOTE);
    }
}
