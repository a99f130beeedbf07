package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On which DataNode a pinned block is. Each has 10 MB of memory. */
class PinnedBlocksTest extends SteppedLoop {

    private static final long FILE = 101;
    private static final StampedBlock BLOCK = block(1, 4);
    private static final OperatorState PINNED = OperatorState.initial().withPin(FILE, true);

    @BeforeEach
    void bothAreKnown() {
        beats(2);
    }

    private void beats(int count) {
        for (int i = 0; i < count; i++) {
            beat(one);
            beat(two);
        }
    }

    private void waits(long ms) {
        for (long end = nowMs + ms; nowMs < end; ) {
            beats(1);
        }
    }

    /** The block has replicas on these DataNodes; of those that are as good the first one gets the copy. */
    private void locate(String... nodes) {
        names.files.put(FILE, List.of(new Located(BLOCK, FILE, List.of(nodes))));
    }

    private void pin() {
        placement.operatorState(PINNED);
        beats(2);
    }

    @Test
    void pin_whoseDataNodeComesBackWithoutMemory_goesToAnother() {
        locate("one", "two");
        pin();
        assertThat(one.memory).containsOnlyKeys(1L);
        one.restarts();
        one.capacityBytes = 0;
        waits(2 * PinnedBlocks.REFRESH_MS);
        assertThat(two.memory).containsOnlyKeys(1L);
        assertThat(placement.reports().nodes(nowMs))
                .extracting(node -> node.uuid() + " waits for " + node.movesWaiting())
                .containsExactlyInAnyOrder("one waits for 0", "two waits for 0");
    }

    @Test
    void pins_beyondTheMemoryThatIsLeft_goToAnother_butWhatIsThereStays() {
        StampedBlock second = block(2, 4);
        names.files.put(
                FILE,
                List.of(new Located(BLOCK, FILE, List.of("one")), new Located(second, FILE, List.of("one", "two"))));
        two.capacityBytes = 5 * MB;
        beats(2);
        pin();
        assertThat(one.memory).containsOnlyKeys(1L, 2L);
        one.leaves(second);
        one.capacityBytes = 5 * MB;
        waits(2 * PinnedBlocks.REFRESH_MS);
        assertThat(one.memory).containsOnlyKeys(1L);
        assertThat(two.memory).containsOnlyKeys(2L);
    }

    @Test
    void pin_afterAFailover_staysWhereTheCopyIs() {
        locate("two", "one");
        pin();
        assertThat(two.memory).containsOnlyKeys(1L);
        locate("one", "two");
        placement.standDown();
        placement.activate(8, PINNED);
        waits(2 * PinnedBlocks.REFRESH_MS);
        assertThat(two.memory).containsOnlyKeys(1L);
        assertThat(one.orders).isEmpty();
        assertThat(placement.reports().nodes(nowMs))
                .extracting(node -> node.uuid() + " reserves " + node.pinnedBytes())
                .containsExactlyInAnyOrder("one reserves 0", "two reserves " + BLOCK.lengthBytes());
    }

    @Test
    void pin_afterAFailover_waitsForASilentHolderForSomeTimeOnly() {
        locate("gone", "two");
        placement.standDown();
        placement.activate(8, PINNED);
        beats(20);
        assertThat(two.memory).isEmpty();
        waits(30_000);
        assertThat(two.memory).containsOnlyKeys(1L);
    }

    @Test
    void files_ofManyBlocks_areLookedAtInParts_newOnesFirst() {
        OperatorState pins = OperatorState.initial();
        for (long file = 200; file < 203; file++) {
            names.files.put(file, blocks(file, 1_000));
            pins = pins.withPin(file, true);
        }
        names.lockBlocks = 100;
        placement.operatorState(pins);
        turns(33);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(3_000);
        assertThat(placement.reports().pinnedBytes()).containsOnlyKeys(200L, 201L, 202L);
        assertThat(names.mostInOneLook).isEqualTo(100);

        nowMs += PinnedBlocks.REFRESH_MS;
        turns(1);
        locate("one", "two");
        placement.operatorState(pins.withPin(FILE, true));
        turns(11);
        assertThat(placement.reports().block(nowMs, 1, 0).pinned())
                .as("once the file in whose midst it was is done")
                .isTrue();

        names.files.put(201L, blocks(201, 500));
        nowMs += PinnedBlocks.REFRESH_MS;
        turns(70);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(2_501);
        placement.operatorState(PINNED);
        turns(1);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(1);
        placement.operatorState(OperatorState.initial());
        turns(1);
        assertThat(placement.reports().pinnedBlocks()).isZero();
        placement.operatorState(pins);
        turns(33);
        assertThat(placement.reports().pinnedBlocks()).isEqualTo(2_500);
    }

    private static List<Located> blocks(long file, int count) {
        return LongStream.range(file * 10_000, file * 10_000 + count)
                .mapToObj(id -> new Located(new StampedBlock(id, 1, 10), file, List.of("one")))
                .toList();
    }

    private void turns(int count) {
        for (int i = 0; i < count; i++) {
            placement.turn(nowMs);
        }
    }
}
