package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pins of directories, and pins that end by themselves. */
class PinnedDirectoryTest extends SteppedLoop {

    private static final long DIRECTORY = 500;
    private static final long INNER = 501;
    private static final long HOUR_MS = 3_600_000;

    private long wallMs = 1_764_000_000_000L;

    @BeforeEach
    void clock() {
        placement =
                new PlacementEngine(settings, names, metricRegistry, PolicySpec::make, HomeSelector::new, () -> wallMs);
        placement.activate(8, OperatorState.initial());
        beat(one);
    }

    private static Pin recursive(long untilMs) {
        return new Pin(new Order("alice", 1_764_000_000_000L), untilMs, true);
    }

    /** One block a file, on the first DataNode. */
    private static List<Located> files(StampedBlock... blocks) {
        return Stream.of(blocks)
                .map(block -> new Located(block, 100 + block.id(), List.of("one")))
                .toList();
    }

    private void waits(long ms) {
        for (long end = nowMs + ms; nowMs < end; ) {
            beat(one);
        }
    }

    @Test
    void directory_pin_takesInFilesThatComeLater_andLeavesThoseThatGo() {
        names.below.put(DIRECTORY, files(block(1, 1), block(2, 1)));
        placement.operatorState(OperatorState.initial().withPin(DIRECTORY, recursive(0)));
        waits(1_000);
        assertThat(one.memory).containsOnlyKeys(1L, 2L);
        assertThat(placement.reports().pinnedBytes()).containsEntry(DIRECTORY, 2 * MB);

        names.below.put(DIRECTORY, files(block(2, 1), block(3, 1)));
        waits(2 * PinnedBlocks.REFRESH_MS);
        assertThat(one.memory).containsKeys(2L, 3L);
        assertThat(placement.reports().block(nowMs, 3, 0).pinned()).isTrue();
        assertThat(placement.reports().block(nowMs, 1, 0).pinned()).isFalse();

        placement.operatorState(OperatorState.initial());
        waits(1_000);
        assertThat(placement.reports().block(nowMs, 3, 0).pinned()).isFalse();
        assertThat(placement.reports().pinnedBytes()).isEmpty();
        assertThat(placement.reports().nodes(nowMs).get(0).pinnedBytes()).isZero();
    }

    @Test
    void directory_ofManyFiles_isWalkedABoundedLookATurn() {
        List<Located> many = LongStream.range(0, 1_000)
                .mapToObj(id -> new Located(new StampedBlock(1_000 + id, 1, 10), id, List.of("one")))
                .toList();
        names.below.put(DIRECTORY, many);
        names.directoryLooks = 0;
        placement.operatorState(OperatorState.initial().withPin(DIRECTORY, recursive(0)));
        placement.turn(nowMs);
        assertThat(names.directoryLooks).isEqualTo(1);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(names.lockBlocks());
        for (int i = 0; i < 20; i++) {
            placement.turn(nowMs);
        }
        assertThat(names.directoryLooks).as("a walk that ended rests").isEqualTo(4);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(1_000);
    }

    @Test
    void directories_ofMoreBlocksThanTheLimit_countThoseThatAreLeftOut() {
        long most = PinnedBlocks.MOST_BLOCKS;
        names.below.put(DIRECTORY, blocks(10_000, most + 7));
        names.below.put(INNER, blocks(10_000_000, 5));
        names.files.put(103L, files(block(3, 1)));
        OperatorState both = OperatorState.initial()
                .withPin(DIRECTORY, recursive(0))
                .withPin(INNER, recursive(0))
                .withPin(103, true);
        placement.operatorState(both);
        turns(200);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo((int) most);
        assertThat(placement.reports().pinnedBlocksLeftOut())
                .as("one more than fits, seven and five of the directories")
                .isEqualTo(1 + 7 + 5);

        names.below.put(DIRECTORY, blocks(10_000, most - 10));
        nowMs += 2 * PinnedBlocks.REFRESH_MS;
        turns(200);
        nowMs += 2 * PinnedBlocks.REFRESH_MS;
        turns(200);
        assertThat(placement.reports().pinnedLeftOut()).isEmpty();
        assertThat(placement.reports().pinnedBlocksLeftOut()).isZero();
        assertThat(placement.reports().pinnedBlocks()).isEqualTo((int) most - 10 + 5 + 1);
    }

    @Test
    void files_ofMoreBlocksThanTheLimit_countThoseThatAreLeftOut() {
        OperatorState pins = OperatorState.initial();
        for (long file = 1; file <= 3; file++) {
            long inode = file;
            names.files.put(
                    file,
                    blocks(100_000 * file, 8_000).stream()
                            .map(located -> new Located(located.block(), inode, located.nodes()))
                            .toList());
            pins = pins.withPin(file, true);
        }
        placement.operatorState(pins);
        turns(10);
        assertThat(names.mostInOneLook).as("a bounded look a turn").isEqualTo(names.lockBlocks());
        assertThat(placement.reports().pinnedBlocks()).isBetween(5 * names.lockBlocks(), 10 * names.lockBlocks());
        turns(90);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(PinnedBlocks.MOST_BLOCKS);
        assertThat(placement.reports().pinnedBlocksLeftOut()).isEqualTo(4_000);
        placement.operatorState(OperatorState.initial());
        turns(1);
        assertThat(placement.reports().pinnedBlocksLeftOut()).isZero();
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            placement.turn(nowMs);
        }
    }

    private static List<Located> blocks(long first, long count) {
        return LongStream.range(first, first + count)
                .mapToObj(id -> new Located(new StampedBlock(id, 1, 10), id, List.of("one")))
                .toList();
    }

    @Test
    void directory_inSafeMode_keepsWhatIsKnown() {
        names.below.put(DIRECTORY, files(block(1, 1)));
        placement.operatorState(OperatorState.initial().withPin(DIRECTORY, recursive(0)));
        waits(1_000);
        names.safeMode = true;
        waits(3 * PinnedBlocks.REFRESH_MS);
        assertThat(placement.reports().block(nowMs, 1, 0).pinned()).isTrue();
    }

    @Test
    void pin_withinAPin_outlivesTheOther() {
        names.below.put(DIRECTORY, files(block(1, 1), block(2, 1), block(3, 1)));
        names.below.put(INNER, files(block(2, 1)));
        names.files.put(103L, files(block(3, 1)));
        OperatorState inner =
                OperatorState.initial().withPin(INNER, recursive(0)).withPin(103, true);
        placement.operatorState(inner.withPin(DIRECTORY, recursive(0)));
        waits(2_000);
        assertThat(one.memory).containsOnlyKeys(1L, 2L, 3L);
        placement.operatorState(inner);
        waits(1_000);
        assertThat(placement.reports().block(nowMs, 1, 0).pinned()).isFalse();
        assertThat(placement.reports().block(nowMs, 2, 0).pinned()).isTrue();
        assertThat(placement.reports().block(nowMs, 3, 0).pinned()).isTrue();
    }

    @Test
    void pin_forATime_endsByItself_whateverTheWallClockDoes() {
        names.below.put(DIRECTORY, files(block(1, 1)));
        placement.operatorState(OperatorState.initial().withPin(DIRECTORY, recursive(wallMs + HOUR_MS)));
        waits(1_000);
        assertThat(placement.reports().block(nowMs, 1, 0).pinned()).isTrue();
        wallMs += 24 * HOUR_MS;
        waits(1_000);
        assertThat(placement.operatorState().pins())
                .as("the clock was set forward")
                .hasSize(1);
        wallMs -= 48 * HOUR_MS;
        nowMs += HOUR_MS;
        waits(1_000);
        assertThat(placement.operatorState().pins())
                .as("the clock was set back")
                .isEmpty();
        assertThat(placement.reports().block(nowMs, 1, 0).pinned()).isFalse();
    }

    @Test
    void pin_forATime_madeAnewByAnother_hasTheNewEnd() {
        OperatorState state = OperatorState.initial().withPin(DIRECTORY, recursive(wallMs + HOUR_MS));
        placement.operatorState(state);
        waits(1_000);
        placement.operatorState(state.withPin(DIRECTORY, recursive(wallMs + 3 * HOUR_MS)));
        waits(1_000);
        nowMs += 2 * HOUR_MS;
        waits(1_000);
        assertThat(placement.operatorState().pins()).hasSize(1);
        nowMs += 2 * HOUR_MS;
        waits(1_000);
        assertThat(placement.operatorState().pins()).isEmpty();
    }

    @Test
    void pin_forATime_isOverAfterARestartThatTookLonger() {
        long untilMs = wallMs + HOUR_MS;
        wallMs += HOUR_MS + 1;
        placement.standDown();
        placement.activate(
                9,
                OperatorState.initial().withPin(DIRECTORY, recursive(untilMs)).withPin(7, true));
        waits(1_000);
        assertThat(placement.operatorState().pins()).containsOnlyKeys(7L);
    }
}
