package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files of 20 blocks of 1 MB on one DataNode, read a block a second. A copy is there after about a second. */
class ReadAheadPlacementTest extends SteppedLoop {

    private static final int BLOCKS = 20;
    private final FakeDataNode large = new FakeDataNode("large", 400 * MB);

    @BeforeEach
    void files() {
        use(Map.of());
        for (int file = 1; file <= 40; file++) {
            List<Located> blocks = new ArrayList<>();
            for (int index = 0; index < BLOCKS; index++) {
                StampedBlock block = block(file, index);
                String path = (file < 20 ? "/day/2026-11-" : "/peeked/") + file + "/part";
                names.named.put(block.id(), new Named(file, path, PathAnnotations.NONE, BLOCKS * MB, index == 0));
                blocks.add(new Located(block, file, List.of(large.uuid)));
            }
            names.files.put((long) file, blocks);
        }
    }

    private void use(Map<String, String> conf) {
        placement = new PlacementEngine(settings(conf), names, metricRegistry);
        activate();
        beat(large);
    }

    private static StampedBlock block(int file, int index) {
        return block(file * 100L + index, 1);
    }

    private long value(Metric metric) {
        return metricRegistry.value(metric);
    }

    private void pass(long ms) {
        for (long endMs = nowMs + ms; nowMs < endMs; ) {
            beat(large);
        }
    }

    /** @return blocks that were in memory when their reader came to them */
    private List<Integer> read(int file, int from, int to) {
        List<Integer> fromMemory = new ArrayList<>();
        for (int index = from; index < to; index++) {
            pass(750);
            if (large.memory.containsKey(block(file, index).id())) {
                fromMemory.add(index);
            }
            beat(large.reads(block(file, index), 1));
        }
        return fromMemory;
    }

    private void learn() {
        for (int file = 1; file <= 4; file++) {
            read(file, 0, BLOCKS);
        }
    }

    @Test
    void reader_whereFilesAreReadOn_findsBlocksInMemory() {
        learn();
        long served = value(Metric.PLACEMENT_READ_AHEAD_SERVED);
        List<Integer> fromMemory = read(10, 0, BLOCKS);
        assertThat(fromMemory).hasSizeGreaterThanOrEqualTo(BLOCKS - 5).contains(BLOCKS - 1);
        beat(large);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_SERVED) - served).isEqualTo(fromMemory.size());
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isZero();
        assertThat(placement
                        .reports()
                        .block(nowMs, block(10, BLOCKS - 1).id(), 1)
                        .lastMoves())
                .singleElement()
                .satisfies(move -> {
                    assertThat(move.cause()).isEqualTo(Cause.READ_AHEAD);
                    assertThat(move.reason())
                            .isEqualTo("a reader of its file is on the way to it; files of directories like /day/#-#-#"
                                    + " are read on once they are begun");
                });
        assertThat(held(10)).as("the policy's once it was read").isFalse();
    }

    @Test
    void reader_whoStops_leavesFewCopiesInVain() {
        learn();
        assertThat(read(10, 0, 10)).isNotEmpty();
        pass(130_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isBetween(MB, 5 * MB);
        assertThat(held(10)).isFalse();
    }

    @Test
    void directory_whoseReadersStop_isNotLookedAtAnyMore() {
        for (int file = 20; file < 36; file++) {
            read(file, 0, 2);
            pass(125_000);
        }
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isZero();
        int looks = names.partLooks;
        assertThat(looks).isBetween(1, 24);
        read(38, 0, 5);
        assertThat(names.partLooks).isEqualTo(looks);
    }

    @Test
    void blocks_readOften_areLookedUpOnce() {
        for (int i = 0; i < 10; i++) {
            beat(large.reads(block(5, 7), 1));
        }
        assertThat(names.pathLooks).isEqualTo(1);
    }

    @Test
    void file_readAllAtOnce_isNotCopied() {
        learn();
        long ordered = value(Metric.PLACEMENT_READ_AHEAD_ORDERED);
        for (int index = 0; index < BLOCKS; index++) {
            large.reads(block(10, index), 1);
        }
        pass(10_000);
        assertThat(value(Metric.PLACEMENT_READ_AHEAD_ORDERED)).isEqualTo(ordered);
    }

    @Test
    void looks_whileTheLockIsHeldMuch_areNotMade() {
        names.mayLook = false;
        learn();
        assertThat(names.pathLooks + names.partLooks).isZero();
    }

    @Test
    void readAhead_off_copiesAndLooksUpNothing() {
        use(Map.of("terrace.placement.read-ahead.blocks", "0"));
        learn();
        assertThat(read(10, 0, BLOCKS)).isEmpty();
        assertThat(names.pathLooks + names.partLooks).isZero();
    }

    private boolean held(int file) {
        for (int index = 0; index < BLOCKS; index++) {
            if (placement.reports().block(nowMs, block(file, index).id(), 1).replicas().stream()
                    .anyMatch(replica -> replica.heldForMs() > 0)) {
                return true;
            }
        }
        return false;
    }
}
