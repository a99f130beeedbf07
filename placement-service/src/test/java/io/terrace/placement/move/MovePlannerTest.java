package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.placement.SteppedLoop;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.state.Move;
import io.terrace.protocol.MoveOutcome;
import org.junit.jupiter.api.Test;

class MovePlannerTest extends DataNodeFixture {

    private final MovePlanner planner = new MovePlanner(
            clusterState,
            new RuleEvaluator(
                    clusterState, names, SteppedLoop.applied("policy: lru").spec()));

    @Test
    void plan_promotionOfABlockWhoseDropWaits_cancelsTheDropAndSaysThatTheBlockIsThere() {
        Move drop = drop(block(1, 1));
        node.request(1, MB, BASE, MEMORY);
        planner.plan(nowMs, node, true);
        assertThat(drop.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(node.moveQueue().all()).isEmpty();
        assertThat(policy.told).containsExactly("1 moved to " + MEMORY);
    }
}
