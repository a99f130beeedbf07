package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies ahead of readers of files whose blocks are on two DataNodes or three, read a block in three quarters of a second. */
class ReadAheadHoldersTest extends SteppedLoop {

    private static final int BLOCKS = 20;
    private static final int FILE = 10;

    private final FakeDataNode a = new FakeDataNode("a", 400 * MB);
    private final FakeDataNode b = new FakeDataNode("b", 400 * MB);
    private final List<FakeDataNode> cluster = new ArrayList<>();
    private final Set<Integer> pools = new TreeSet<>();
    private int blockMb = 1;

    @BeforeEach
    void twoHolders() {
        start(a, b);
    }

    private void start(FakeDataNode... holders) {
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

    private HomeChoice homes(ClusterState clusterState) {
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

    private StampedBlock block(int file, int index) {
        return block(file * 100L + index, blockMb);
    }

    private long value(Metric metric) {
        return metricRegistry.value(metric);
    }

    private void step() {
        nowMs += 250;
        placement.turn(nowMs);
        cluster.forEach(node -> node.beat(placement, nowMs));
    }

    private void pass(long ms) {
        for (long endMs = nowMs + ms; nowMs < endMs; ) {
            step();
        }
    }

    /** As by a client of Terrace: from the copy where there is one. */
    private void read(int file, int from, int to, FakeDataNode otherwise) {
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
    private void stockReads(int file, int from, int to, FakeDataNode on) {
        for (int index = from; index < to; index++) {
            pass(500);
            on.stockReads(block(file, index), 1);
            step();
        }
    }

    private void learn() {
        for (int file = 1; file <= 4; file++) {
            read(file, 0, BLOCKS, a);
        }
    }

    private long copies(FakeDataNode node, int file) {
        return node.memory.keySet().stream().filter(id -> id / 100 == file).count();
    }

    @Test
    void holder_thatHasNoRoomForWaitingCopies_isPassedOver() {
        FakeDataNode small = new FakeDataNode("small", 3 * MB);
        start(small, a);
        learn();
        read(FILE, 0, BLOCKS, a);
        assertThat(copies(a, FILE)).isGreaterThan(10);
        assertThat(copies(small, FILE)).isZero();
    }

    @Test
    void home_thatIsDecommissioned_isPassedOver() {
        learn();
        for (int index = 10; index < BLOCKS; index++) {
            a.reads(block(FILE, index), 1);
            step();
        }
        pass(130_000);
        names.leaving.put("a", "it is being decommissioned");
        pass(5_000);
        read(FILE, 0, BLOCKS, b);
        assertThat(copies(b, FILE)).isGreaterThan(10);
        assertThat(copies(a, FILE)).isZero();
    }

    /** Of a block that was read once on a DataNode that holds it no more. */
    @Test
    void home_thatIsNoHolder_isNotOrdered() {
        learn();
        for (int index = 10; index < BLOCKS; index++) {
            a.reads(block(FILE, index), 1);
            step();
        }
        pass(130_000);
        for (int index = 0; index < BLOCKS; index++) {
            names.store(block(FILE, index), b);
        }
        names.files.put(
                (long) FILE,
                names.files.get((long) FILE).stream()
                        .map(located -> new Located(located.block(), FILE, List.of("b")))
                        .toList());
        read(FILE, 0, BLOCKS, b);
        assertThat(copies(b, FILE)).isGreaterThan(10);
    }

    @Test
    void copies_onBothHolders_areFoundByTheirReader() {
        learn();
        long served = value(Metric.PLACEMENT_READ_AHEAD_SERVED);
        read(FILE, 0, BLOCKS, b);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_SERVED) - served).isGreaterThan(10);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isZero();
    }

    @Test
    void stockReader_onAnotherHolder_isNotServedAndTheCopiesAreInVain() {
        learn();
        long served = value(Metric.PLACEMENT_READ_AHEAD_SERVED);
        stockReads(FILE, 0, BLOCKS, b);
        long copies = copies(a, FILE) + copies(b, FILE);
        assertThat(copies).isPositive();
        pass(130_000);
        long servedThere = value(Metric.PLACEMENT_READ_AHEAD_SERVED) - served;
        assertThat(servedThere).isLessThanOrEqualTo(copies(b, FILE));
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isPositive();
    }

    @Test
    void stockReaders_onAnotherHolder_costNoMoreThanTheBound() {
        blockMb = 32;
        FakeDataNode large = new FakeDataNode("large", 8_192 * MB);
        FakeDataNode other = new FakeDataNode("other", 64 * MB);
        start(large, other);
        learn();
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        for (int file = 10; file < 16; file++) {
            stockReads(file, 0, BLOCKS, other);
        }
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isGreaterThan(ordered);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isBetween(blockMb * MB, 256 * MB);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_REFUSED)).isPositive();
    }

    @Test
    void dataNode_thatIsLost_endsItsCopiesAndOthersTakeTheNext() {
        learn();
        read(FILE, 0, 8, a);
        assertThat(copies(a, FILE)).isPositive();
        cluster.remove(a);
        pass(600_000);
        read(11, 0, BLOCKS, b);
        assertThat(copies(b, 11)).isGreaterThan(10);
        a.restarts();
        cluster.add(0, a);
        pass(5_000);
        read(12, 0, BLOCKS, b);
        assertThat(copies(a, 12) + copies(b, 12)).isGreaterThan(10);
    }

    @Test
    void rule_thatForbids_endsCopiesAheadAndMakesNoOthers() {
        learn();
        read(FILE, 0, 8, a);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /day/**, place: never}]"));
        read(FILE, 8, BLOCKS, a);
        read(11, 0, BLOCKS, a);
        pass(130_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isLessThanOrEqualTo(ordered + 1);
        assertThat(copies(a, FILE) + copies(b, FILE) + copies(a, 11) + copies(b, 11))
                .isZero();
    }

    @Test
    void blocks_thatARuleForbids_areLookedUpOnce() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /day/**, place: never}]"));
        for (int i = 0; i < 10; i++) {
            a.reads(block(5, 7), 1);
            step();
        }
        assertThat(names.pathLooks).isEqualTo(1);
    }

    @Test
    void blocks_thatAreErasureCoded_areLookedUpOnce() {
        names.verdicts.put(block(5, 7).id(), Verdict.ERASURE_CODED);
        a.reads(block(5, 7), 3);
        names.named.remove(block(5, 7).id()); // So their file is not found.
        for (int i = 0; i < 10; i++) {
            step();
            a.reads(block(5, 7), 3);
        }
        assertThat(names.pathLooks).isEqualTo(1);
    }

    @Test
    void wishes_madeWhileMovesArePaused_areNotOrderedOnceNobodyWaits() {
        learn();
        placement.operatorState(OperatorState.initial().withMoves(false));
        read(FILE, 0, 10, a);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        pass(200_000);
        placement.operatorState(OperatorState.initial());
        pass(10_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isEqualTo(ordered);
        assertThat(copies(a, FILE) + copies(b, FILE)).isZero();
        read(11, 0, BLOCKS, a);
        assertThat(copies(a, 11) + copies(b, 11)).isGreaterThan(10);
    }

    /** Orders that were not sent wait for the end of the pause too. */
    @Test
    void orders_thatWaitForAnEndOfThePause_areWithdrawnOnceNobodyWaits() {
        learn();
        read(FILE, 0, 6, a);
        a.carryOut = order -> MoveOutcome.LOST;
        for (int file = 20; file < 26; file++) {
            read(file, 0, 6, a); // Orders in flight fill the queue, so others wait.
        }
        a.carryOut = order -> null;
        placement.operatorState(OperatorState.initial().withMoves(false));
        pass(200_000);
        a.orders.clear();
        placement.operatorState(OperatorState.initial());
        step();
        step();
        assertThat(a.orders.stream().filter(MoveOrder::isPromotion)).isEmpty();
    }

    @Test
    void blocks_inMemory_areNotWishedAgain() {
        learn();
        read(FILE, 0, BLOCKS, a);
        read(FILE, 0, BLOCKS, a);
        int looks = names.looks;
        long refused = value(Metric.PLACEMENT_READ_AHEAD_REFUSED);
        read(FILE, 0, 3, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_REFUSED)).isEqualTo(refused);
        assertThat(names.looks - looks).isLessThanOrEqualTo(3);
    }

    @Test
    void copies_ofFilesOfAPool_areHomedByItsRoom() {
        placement.policy(
                nowMs,
                applied("policy: idecider", "pools: [{name: etl, share: 50%}]", "rules: [{path: /day/**, pool: etl}]"));
        learn();
        pools.clear();
        read(FILE, 0, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isPositive();
        assertThat(pools).doesNotContain(0);
    }

    /** A block ahead was appended to since its file was looked up. */
    @Test
    void heat_ofANewerBlockThanTheOneLookedUp_stays() {
        learn();
        read(FILE, 0, 2, a);
        StampedBlock old = block(FILE, 8);
        StampedBlock newer = new StampedBlock(old.id(), old.stamp() + 1, old.lengthBytes() + 5);
        b.reads(newer, 2);
        step();
        read(FILE, 2, 7, a);
        assertThat(placement.reports().block(nowMs, old.id(), 1).heat()).satisfies(heat -> {
            assertThat(heat.block()).isEqualTo(newer);
            assertThat(heat.reads()).isEqualTo(2);
        });
    }

    /** A wish that is refused leaves no trace. */
    @Test
    void heat_ofBlocksWhoseCopiesAreRefused_isNotMade() {
        blockMb = 300; // Beyond the bytes that may be in vain at first.
        start(new FakeDataNode("c", 8_192 * MB), new FakeDataNode("d", 8_192 * MB));
        for (int file = 1; file <= 4; file++) {
            read(file, 0, BLOCKS, cluster.get(0));
        }
        read(FILE, 0, 3, cluster.get(0));
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_REFUSED)).isPositive();
        for (int index = 4; index < BLOCKS; index++) {
            assertThat(placement
                            .reports()
                            .block(nowMs, block(FILE, index).id(), 1)
                            .heat())
                    .isNull();
        }
    }

    @Test
    void copies_thatTakeLong_areNotMadeForAWhile() {
        learn();
        List<MoveOrder> held = new ArrayList<>();
        for (FakeDataNode node : cluster) {
            node.carryOut = order -> {
                if (order.isPromotion()) {
                    held.add(order);
                    return MoveOutcome.LOST;
                }
                return null;
            };
        }
        read(FILE, 0, 8, a);
        assertThat(held).isNotEmpty();
        pass(50_000);
        for (MoveOrder order : held) {
            FakeDataNode node = a.orders.contains(order) ? a : b;
            node.arrives(order.block(), false);
            node.result(order, 7, MoveOutcome.DONE);
        }
        cluster.forEach(node -> node.carryOut = order -> null);
        read(FILE, 8, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_COPY_MS)).isGreaterThan(6_000);
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        read(11, 0, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isEqualTo(ordered);
        pass(3_600_000);
        read(12, 0, BLOCKS, a);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isGreaterThan(ordered);
    }

    /** As after the host of the NameNode slept. */
    @Test
    void clock_thatLeaps_endsReadersAndTheirCopies() {
        learn();
        read(FILE, 0, 8, a);
        long vain = value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES);
        nowMs += 7 * 3_600_000L;
        pass(5_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES) - vain).isBetween(MB, 8 * MB);
        assertThat(a.memory.keySet().stream()
                        .flatMap(id -> placement.reports().block(nowMs, id, 1).replicas().stream()))
                .allMatch(replica -> replica.heldForMs() == 0);
        read(11, 0, BLOCKS, a);
        assertThat(copies(a, 11) + copies(b, 11)).isGreaterThan(10);
    }
}
