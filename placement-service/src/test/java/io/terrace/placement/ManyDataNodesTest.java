package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.PlacementReports.Asked;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.protocol.StampedBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A cluster of which a turn looks at a part. */
class ManyDataNodesTest extends SteppedLoop {

    private static final int NODES = 2_000;

    private final List<FakeDataNode> nodes = new ArrayList<>();

    private void report(int from) {
        for (FakeDataNode node : nodes.subList(from, nodes.size())) {
            HeartbeatAnswer unused = node.beat(placement, nowMs);
        }
    }

    private void join(int count) {
        join(count, 10);
    }

    private void join(int count, int megabytes) {
        for (int i = 0; i < count; i++) {
            nodes.add(new FakeDataNode("node" + nodes.size(), megabytes * MB));
        }
        report(nodes.size() - count);
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            nowMs += 250;
            int unused = placement.turn(nowMs);
        }
    }

    @Test
    void status_ofEachRound_countsEveryDataNodeOnce() {
        join(NODES);
        for (int i = 0; i < NODES; i += 4) {
            nodes.get(i).arrives(block(i, 1), false);
            nodes.get(i).release = "2.0";
        }
        report(0);
        turns(2 * 10);
        assertThat(placement.engineStatus().datanodes()).isEqualTo(NODES);
        assertThat(placement.engineStatus().resident()).isEqualTo(NODES / 4);
        assertThat(placement.engineStatus().silent()).isZero();
        assertThat(placement.engineStatus().releases())
                .containsExactly(Map.entry("", NODES - NODES / 4), Map.entry("2.0", NODES / 4));
    }

    @Test
    void status_whileTheNameNodeIsUpgraded_saysThatNoReplicaMoves() {
        assertThat(placement.engineStatus().volumeMovesStopped()).isNull();
        names.upgrade = "a rolling upgrade is under way";
        assertThat(placement.engineStatus().volumeMovesStopped()).isEqualTo(names.upgrade);
    }

    @Test
    void dataNode_thatReportsWhenItIsAskedTo_isNeverSilent() {
        join(PlacementEngine.MOST_NODES);
        int intervalMs = nodes.get(0).beat(placement, nowMs).intervalMs();
        assertThat((long) intervalMs)
                .as("as rare as the time after which a DataNode of a small cluster is silent")
                .isGreaterThanOrEqualTo(settings.heartbeats().expiryMs());
        turns(intervalMs / 250 + 40);
        assertThat(placement.engineStatus().silent()).isZero();
    }

    @Test
    void dataNodes_thatSayNoMore_areAllFoundSilent() {
        join(NODES);
        turns(2 * 10);
        nowMs += settings.heartbeats().expiryMs();
        report(NODES / 2);
        turns(2 * 10);
        assertThat(placement.engineStatus().silent()).isEqualTo(NODES / 2);
    }

    @Test
    void block_readOnOneOfMany_isPromotedThere() {
        join(NODES);
        FakeDataNode last = nodes.get(NODES - 1);
        warm(last, block(1, 1));
        assertThat(last.memory.keySet()).containsExactly(1L);
    }

    @Test
    void orders_thatWaitForTheBudget_areLookedUpTogether() {
        join(NODES, 1_000);
        for (int i = 0; i < NODES; i++) {
            nodes.get(i).reads(block(2 * i, 200), 3).reads(block(2 * i + 1, 200), 3);
        }
        report(0);
        int intervalMs = nodes.get(0).beat(placement, nowMs).intervalMs();
        int looksForTheFirst = names.looks;
        turns(intervalMs / 250);
        report(0);
        long copies = nodes.stream().mapToLong(node -> node.memory.size()).sum();
        assertThat(copies).as("but of the control sample").isGreaterThan(2 * NODES * 95 / 100);
        assertThat(looksForTheFirst).isGreaterThan(NODES * 95 / 100);
        assertThat(names.looks - looksForTheFirst).isLessThanOrEqualTo(NODES / names.lockBlocks + intervalMs / 250);
    }

    @Test
    void dataNodes_thatAreForgotten_leaveNoHeat() {
        join(NODES);
        FakeDataNode first = nodes.get(0);
        first.reads(block(1, 1), 3);
        report(0);
        nowMs += settings.heartbeats().forgetMs() + 1;
        report(1);
        turns(2 * 10);
        assertThat(placement.engineStatus().datanodes()).isEqualTo(NODES - 1);
        assertThat(placement.reports().top(nowMs, 1))
                .allSatisfy(hot -> assertThat(hot.home()).isNull());
    }

    @Test
    void copies_ofADataNodeThatLeaves_areNotLookedForOnAllOthers() {
        int copies = 10_000;
        join(PlacementEngine.MOST_NODES - 1);
        FakeDataNode leaves = new FakeDataNode("leaves", 10 * MB);
        FakeDataNode other = nodes.get(0);
        for (int id = 1; id <= copies; id++) {
            StampedBlock block = new StampedBlock(id, 1, 1_000);
            leaves.arrives(block, false);
            names.places.put(
                    (long) id,
                    new Placed(
                            block,
                            "/data/" + id,
                            null,
                            List.of(
                                    new PlacedReplica(leaves.uuid, StorageTier.DISK, null),
                                    new PlacedReplica(other.uuid, StorageTier.DISK, null))));
        }
        nodes.add(leaves);
        for (int i = 0; i < 4; i++) {
            HeartbeatAnswer unused = leaves.beat(placement, nowMs);
        }
        names.leaving.put(leaves.uuid, "the DataNode is being decommissioned");
        assertTimeout(Duration.ofSeconds(5), () -> turns(2 * 20), "40 turns of some ms");
        for (int i = 0; i < 4; i++) {
            HeartbeatAnswer unused = other.beat(placement, nowMs);
        }
        assertThat(other.memory).isNotEmpty();
    }

    @Test
    void blocks_askedAbout_areOnWhoeverHoldsReadsOrHasACopyOfThem() {
        join(NODES);
        nodes.get(1_500).reads(block(1, 1), 1);
        nodes.get(900).reads(block(1, 1), 2);
        nodes.get(3).arrives(block(2, 1), false);
        report(0);
        List<BlockReport> reports = placement
                .reports()
                .blocks(
                        nowMs,
                        List.of(
                                new Asked(1, Set.of("node7", "node900"), null),
                                new Asked(2, Set.of(), null),
                                new Asked(3, Set.of("node8", "gone"), null)),
                        5);
        assertThat(reports).extracting(BlockReport::blockId).containsExactly(1L, 2L, 3L);
        assertThat(uuids(reports.get(0))).containsExactly("node7", "node900", "node1500");
        assertThat(uuids(reports.get(1))).containsExactly("node3");
        assertThat(uuids(reports.get(2))).containsExactly("node8");
    }

    private static List<String> uuids(BlockReport report) {
        return report.replicas().stream().map(ReplicaReport::node).toList();
    }
}
