package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.List;
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
}
