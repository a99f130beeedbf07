package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What reads and writes that DataNodes report lead to. */
class HeatProcessorTest extends HeartbeatProcessorFixture {
    @Test
    void reads_findAHomeAndReachItsPolicy() {
        heat(reads(BLOCK, 3));
        assertThat(policy.told).containsExactly("1 read 3 times in " + BASE);
        assertThat(clusterState.heat().find(1).home()).isSameAs(node);
        resides(BLOCK);
        heat(reads(BLOCK, 2));
        assertThat(policy.told).endsWith("1 read 2 times in " + MEMORY);
        assertThat(node.residents().find(1).bytesServed).isEqualTo(20);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READS)).isEqualTo(5);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READ_BYTES)).isEqualTo(500);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READ_MEMORY_BYTES)).isEqualTo(50);
    }

    @Test
    void writes_reachThePolicyOfAHomeAlone() {
        heat(writes(BLOCK));
        assertThat(policy.told).isEmpty();
        heat(reads(BLOCK, 1), writes(BLOCK));
        assertThat(policy.told).containsExactly("1 read 1 times in " + BASE, "1 written 1 times in " + BASE);
    }

    @Test
    void reads_ofAPinnedBlock_reachNoPolicy() {
        node.residents().pin(BLOCK);
        heat(reads(BLOCK, 3));
        assertThat(policy.told).isEmpty();
        assertThat(clusterState.heat().find(1).reads()).isEqualTo(3);
    }

    @Test
    void reads_ofAnOlderStamp_areStale() {
        heat(reads(BLOCK, 1));
        heat(reads(new StampedBlock(1, BLOCK.stamp() - 1, MB), 1));
        assertThat(policy.told).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEAT_STALE)).isEqualTo(1);
    }

    @Test
    void reads_ofANewerStamp_voidWhatWasKnown() {
        heat(reads(BLOCK, 5));
        Move waits = promotion(BLOCK);
        StampedBlock appended = new StampedBlock(1, BLOCK.stamp() + 1, 2 * MB);
        heat(reads(appended, 1));
        assertThat(waits.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(clusterState.heat().find(1).block()).isEqualTo(appended);
        assertThat(clusterState.heat().find(1).reads()).isEqualTo(1);
        assertThat(policy.told).contains("1 vanished").endsWith("1 read 1 times in " + BASE);
    }

    @Test
    void reads_ofWhatARuleForbids_reachNoPolicyAndDropTheCopy() {
        heatProcessor = heatProcessor(SteppedLoop.applied("policy: lru", "rules: [{path: /tmp/**, place: never}]")
                .spec());
        names.named.put(1L, new Named(16_400, "/tmp/a"));
        resides(BLOCK);
        heat(reads(BLOCK, 3));
        Move drop = node.moveQueue().open(1);
        assertThat(drop.cause()).isEqualTo(Cause.RULE);
        assertThat(policy.told).containsExactly("1 stays in " + BASE);
    }

    @Test
    void reads_withRulesOfABlockWithoutAPath_areDeferred() {
        heatProcessor = heatProcessor(SteppedLoop.applied("policy: lru", "rules: [{path: /tmp/**, place: never}]")
                .spec());
        heat(reads(BLOCK, 3));
        assertThat(policy.told).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_DEFERRED)).isEqualTo(1);
    }

    @Test
    void home_thatMoves_takesTheWaitingPromotionBack() {
        heat(reads(BLOCK, 1));
        Move waits = promotion(BLOCK);
        heatProcessor.take(nowMs, other, List.of(reads(BLOCK, 100)));
        BlockHeat heat = clusterState.heat().find(1);
        assertThat(heat.home()).isSameAs(other);
        assertThat(waits.outcome()).isEqualTo(MoveOutcome.CANCELLED);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED)).isEqualTo(1);
        assertThat(((RecordingPolicy) other.policy()).told).containsExactly("1 read 100 times in " + BASE);
    }

    @Test
    void home_thatMoves_dropsTheCopyAtTheOldOne() {
        heat(reads(BLOCK, 1));
        resides(BLOCK);
        heatProcessor.take(nowMs, other, List.of(reads(BLOCK, 100)));
        assertThat(node.moveQueue().open(1).cause()).isEqualTo(Cause.MOVED_HOME);
    }
}
