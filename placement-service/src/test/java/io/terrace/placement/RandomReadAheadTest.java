package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of files on three DataNodes that are lost, leave and come back, with pauses, rules, leaps of time and lost orders. */
class RandomReadAheadTest extends SteppedLoop {

    private static final int FILES = 60;
    private static final int BLOCKS = 12;
    private static final int BLOCK_MB = 8;
    private static final int STEPS = 4_000;
    private static final long AT_FIRST_BYTES = 256 * MB;

    private final List<FakeDataNode> all =
            List.of(new FakeDataNode("a", 800 * MB), new FakeDataNode("b", 400 * MB), new FakeDataNode("c", 40 * MB));
    private final Set<FakeDataNode> up = new TreeSet<>((one, other) -> one.uuid.compareTo(other.uuid));
    private final List<int[]> readers = new ArrayList<>();
    private Random random = new Random();
    private int files;
    private boolean paused;
    private long aheadOrders;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void copiesAhead_whateverHappens_areBoundedAndReleased(long seed) {
        random = new Random(seed);
        up.addAll(all);
        for (int step = 0; step < STEPS; step++) {
            happen();
            read();
            step(seed);
        }
        assertThat(aheadOrders).as("seed %d", seed).isPositive();
        settle(seed);
    }

    private StampedBlock block(int file, int index) {
        return block(file * 100L + index, BLOCK_MB);
    }

    private void make(int file) {
        List<Located> blocks = new ArrayList<>();
        for (int index = 0; index < BLOCKS; index++) {
            StampedBlock block = block(file, index);
            String path = (file % 5 == 0 ? "/peeked/" : "/day/") + file + "/part";
            names.named.put(
                    block.id(), new Named(file, path, PathAnnotations.NONE, BLOCKS * BLOCK_MB * MB, index == 0));
            blocks.add(new Located(
                    block, file, List.of(all.get(index % 3).uuid, all.get((index + 1 + file % 2) % 3).uuid)));
        }
        names.files.put((long) file, blocks);
    }

    private void happen() {
        FakeDataNode node = all.get(random.nextInt(all.size()));
        switch (random.nextInt(600)) {
            case 0 -> up.remove(node);
            case 1, 2 -> {
                if (up.add(node)) {
                    node.restarts();
                }
            }
            case 3 -> names.leaving.put(node.uuid, "it is being decommissioned");
            case 4, 5 -> names.leaving.clear();
            case 6 -> pause(true);
            case 7, 8 -> pause(false);
            case 9 -> placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /peeked/**, place: never}]"));
            case 10 -> placement.policy(nowMs, applied("policy: lru"));
            case 11 -> nowMs += random.nextInt(600_000);
            case 12 -> node.carryOut = order -> random.nextInt(4) == 0 ? MoveOutcome.LOST : null;
            case 13 -> node.carryOut = order -> null;
            case 14 -> node.memory.values().stream().findFirst().ifPresent(node::leaves);
            default -> {}
        }
    }

    private void pause(boolean pause) {
        paused = pause;
        placement.operatorState(OperatorState.initial().withMoves(!paused));
    }

    /** Two readers at a time, a block in about a second each, of a file that is new or not; some stop. */
    private void read() {
        if (readers.size() < 2) {
            int file = files < FILES || random.nextInt(3) > 0 ? ++files : 1 + random.nextInt(files);
            make(file);
            readers.add(new int[] {file, 0});
        }
        int[] reader = readers.get(random.nextInt(readers.size()));
        if (random.nextInt(4) > 0) {
            return;
        }
        StampedBlock block = block(reader[0], reader[1]);
        List<String> holders = names.files.get((long) reader[0]).get(reader[1]).nodes();
        boolean isStock = random.nextInt(10) == 0;
        FakeDataNode from = null;
        for (FakeDataNode node : up) {
            if (holders.contains(node.uuid) && (from == null || (!isStock && node.memory.containsKey(block.id())))) {
                from = node;
            }
        }
        if (from != null) {
            from.reads(block, 1);
        }
        if (++reader[1] == BLOCKS || (reader[0] % 5 == 0 && random.nextInt(3) == 0)) {
            readers.remove(reader);
        }
    }

    private void step(long seed) {
        nowMs += 250;
        placement.turn(nowMs);
        for (FakeDataNode node : up) {
            node.orders.clear();
            node.beat(placement, nowMs);
            for (MoveOrder order : List.copyOf(node.orders)) {
                for (Move move : placement.reports().moves(Set.of(order.moveId()))) {
                    if (move.cause().isAhead()) {
                        check(seed, node, order);
                    }
                }
            }
        }
        long vain = metricRegistry.value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES);
        long copied = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
        assertThat((double) vain)
                .as("seed %d, in vain", seed)
                .isLessThanOrEqualTo(Math.max(AT_FIRST_BYTES, 0.1 * copied));
    }

    private void check(long seed, FakeDataNode node, MoveOrder order) {
        aheadOrders++;
        long id = order.block().id();
        Located located = names.files.get(id / 100).get((int) (id % 100));
        assertThat(located.nodes()).as("seed %d", seed).contains(node.uuid);
        assertThat(paused).as("seed %d, paused", seed).isFalse();
        assertThat(placement.reports().block(nowMs, id, 1).replicas())
                .as("seed %d, copies of block %d", seed, id)
                .filteredOn(replica -> replica.open() != null
                        && replica.open().isPromotion()
                        && !replica.node().equals(node.uuid))
                .isEmpty();
        assertThat(node.capacityBytes / 4).as("seed %d", seed).isGreaterThanOrEqualTo(BLOCK_MB * MB);
    }

    /** Once nothing happens any more, nothing waits, and readers are served again. */
    private void settle(long seed) {
        pause(false);
        names.leaving.clear();
        placement.policy(nowMs, applied("policy: lru"));
        for (FakeDataNode node : all) {
            node.carryOut = order -> null;
            if (up.add(node)) {
                node.restarts();
            }
        }
        readers.clear();
        for (int i = 0; i < 3_000; i++) {
            nowMs += 750;
            step(seed);
        }
        for (FakeDataNode node : all) {
            for (long id : node.memory.keySet()) {
                assertThat(placement.reports().block(nowMs, id, 1).replicas())
                        .as("seed %d, block %d", seed, id)
                        .allMatch(replica -> replica.heldForMs() == 0);
            }
        }
    }
}
