package io.terrace.placement;

import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** Two DataNodes that hold the blocks of files that are read from their beginnings on. */
abstract class ReadAheadHoldersFixture extends SteppedLoop {
    static final int BLOCKS = 20;
    static final int FILE = 10;

    final FakeDataNode a = new FakeDataNode("a", 400 * MB);
    final FakeDataNode b = new FakeDataNode("b", 400 * MB);
    final List<FakeDataNode> cluster = new ArrayList<>();
    final Set<Integer> pools = new TreeSet<>();
    int blockMb = 1;

    @BeforeEach
    void twoHolders() {
        start(a, b);
    }

    void start(FakeDataNode... holders) {
        placement = new PlacementEngine(
                settings(Map.of()), names, metricRegistry, PolicySpec::make, this::homes, System::currentTimeMillis);
        activate();
        cluster.clear();
        cluster.addAll(List.of(holders));
        for (int file = 1; file <= 40; file++) {
            List<Located> blocks = new ArrayList<>();
            for (int index = 0; index < BLOCKS; index++) {
                StampedBlock block = block(file, index);
                String path = "/day/2026-11-" + file + "/part";
                names.named.put(
                        block.id(), new Named(file, path, PathAnnotations.NONE, BLOCKS * blockMb * MB, index == 0));
                blocks.add(new Located(
                        block, file, Stream.of(holders).map(node -> node.uuid).toList()));
            }
            names.files.put((long) file, blocks);
        }
        step();
    }

    HomeChoice homes(ClusterState clusterState) {
        HomeSelector selector = new HomeSelector(clusterState);
        return new HomeChoice() {
            @Override
            public DataNodeState choose(long now, BlockHeat heat, int pool) {
                pools.add(pool);
                return selector.choose(now, heat, pool);
            }

            @Override
            public boolean isElsewhere(DataNodeState node, long blockId) {
                return selector.isElsewhere(node, blockId);
            }
        };
    }

    StampedBlock block(int file, int index) {
        return block(file * 100L + index, blockMb);
    }

    long value(Metric metric) {
        return metricRegistry.value(metric);
    }

    void step() {
        nowMs += 250;
        placement.turn(nowMs);
        cluster.forEach(node -> node.beat(placement, nowMs));
    }

    void pass(long ms) {
        for (long endMs = nowMs + ms; nowMs < endMs; ) {
            step();
        }
    }

    /** As by a client of Terrace: from the copy where there is one. */
    void read(int file, int from, int to, FakeDataNode otherwise) {
        for (int index = from; index < to; index++) {
            pass(500);
            StampedBlock block = block(file, index);
            cluster.stream()
                    .filter(node -> node.memory.containsKey(block.id()))
                    .findFirst()
                    .orElse(otherwise)
                    .reads(block, 1);
            step();
        }
    }

    /** As by a stock client that is on the DataNode's host. */
    void stockReads(int file, int from, int to, FakeDataNode on) {
        for (int index = from; index < to; index++) {
            pass(500);
            on.stockReads(block(file, index), 1);
            step();
        }
    }

    void learn() {
        for (int file = 1; file <= 4; file++) {
            read(file, 0, BLOCKS, a);
        }
    }

    long copies(FakeDataNode node, int file) {
        return node.memory.keySet().stream().filter(id -> id / 100 == file).count();
    }
}
