package io.terrace.placement.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What DataNodes that are gone leave in the heat of blocks. */
class HeatMapTest extends DataNodeFixture {

    private BlockHeat known(HeatMap map, long id, DataNodeState at, DataNodeState... holders) {
        BlockHeat heat = map.touch(nowMs, block(id, 1));
        heat.remember(at, 1, nowMs, 600_000);
        heat.home(at);
        heat.locate(nowMs, List.of(holders));
        return heat;
    }

    @Test
    void dataNodesThatWentTogether_leaveNothing_andOtherBlocksStayLocated() {
        HeatMap map = clusterState.heat();
        DataNodeState stays = new DataNodeState("three", SETTINGS, policy, nowMs);
        clusterState.add(stays);
        BlockHeat ofOne = known(map, 1, node, node, stays);
        BlockHeat ofTwo = known(map, 2, other, other);
        BlockHeat ofThree = known(map, 3, stays, stays);
        clusterState.remove(node);
        clusterState.remove(other);
        clusterState.forgetGone();
        assertThat(List.of(ofOne, ofTwo)).allSatisfy(heat -> {
            assertThat(heat.home()).isNull();
            assertThat(heat.nodeCount()).isZero();
            assertThat(heat.isLocated(nowMs)).isFalse();
        });
        assertThat(ofThree.home()).isSameAs(stays);
        assertThat(ofThree.isLocated(nowMs))
                .as("none of those that went held it")
                .isTrue();
    }

    @Test
    void manyBlocks_forgetADataNode_overSeveralTurns() {
        int blocks = 2 * HeatMap.FORGETS_PER_TURN;
        HeatMap map = new HeatMap(blocks, 600_000);
        LongStream.range(0, blocks).forEach(id -> known(map, id, node));
        map.gone(node);
        map.forgetGone();
        assertThat(homes(map)).isEqualTo(HeatMap.FORGETS_PER_TURN);
        map.gone(other);
        map.forgetGone();
        assertThat(homes(map)).isZero();
        known(map, 7, other);
        map.forgetGone();
        map.forgetGone();
        assertThat(homes(map))
                .as("what went while a pass was under way has one of its own")
                .isZero();
    }

    private static long homes(HeatMap map) {
        return map.all().stream().filter(heat -> heat.home() != null).count();
    }

    @Test
    void dataNodeThatCameBack_isOneInTheNextEpoch() {
        BlockHeat heat = known(clusterState.heat(), 1, node);
        clusterState.remove(node);
        DataNodeState again = new DataNodeState(node.uuid(), SETTINGS, policy, nowMs);
        clusterState.add(again);
        heat.remember(again, 1, nowMs, 600_000);
        clusterState.successor(() -> policy);
        assertThat(heat.nodeCount()).isEqualTo(1);
        assertThat(heat.home()).isNull();
    }
}
