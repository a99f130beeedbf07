package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.protocol.StampedBlock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DataNodes that are decommissioned or enter maintenance. Each has 10 MB of memory. */
class LeavingPlacementTest extends TieredCluster {

    private static final String WHY = "the DataNode is being decommissioned";
    private static final StampedBlock BLOCK = block(1, 1);

    @BeforeEach
    void files() {
        for (int id = 1; id < 20; id++) {
            place(block(id, 1), "/data/" + id, StorageTier.DISK, one, two);
        }
    }

    private void leaves(FakeDataNode node) {
        names.leaving.put(node.uuid, WHY);
        waits(2_000);
    }

    @Test
    void copy_ofALeavingDataNode_isMadeElsewhere_andStaysMeanwhile() {
        one.arrives(BLOCK, false);
        beats(2);
        leaves(one);
        assertThat(two.memory.keySet()).containsExactly(1L);
        assertThat(one.memory.keySet()).as("it is read until the end").containsExactly(1L);
        assertThat(placement.reports().block(nowMs, 1, 1).lastMoves())
                .singleElement()
                .satisfies(move -> assertThat(move.cause()).isEqualTo(Cause.LEAVING));
        assertThat(metricRegistry.value(Metric.PLACEMENT_LEAVING_ORDERED)).isEqualTo(1);
    }

    @Test
    void copy_thatAnotherHasToo_isNotMadeAgain() {
        leaves(one);
        two.arrives(BLOCK, false);
        beats(1);
        one.arrives(BLOCK, false);
        waits(6_000);
        assertThat(two.memory.keySet()).containsExactly(1L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_LEAVING_ORDERED)).isZero();
    }

    @Test
    void copies_withoutAnotherHolder_followOnceHdfsHasMadeOne() {
        place(BLOCK, "/data/1", StorageTier.DISK, one);
        one.arrives(BLOCK, false);
        beats(2);
        leaves(one);
        assertThat(two.memory).isEmpty();
        place(BLOCK, "/data/1", StorageTier.DISK, one, two);
        waits(6_000);
        assertThat(two.memory.keySet()).containsExactly(1L);
    }

    @Test
    void copies_goHottestFirst_andColdOnesOnlyWhereMemoryIsFree() {
        for (int id = 11; id < 19; id++) {
            two.arrives(block(id, 1), false);
        }
        for (int id = 1; id < 6; id++) {
            one.arrives(block(id, 1), false);
        }
        beats(2);
        for (int id = 4; id < 6; id++) {
            read(one, block(id, 1), 5);
        }
        leaves(one);
        assertThat(two.memory.keySet()).as("8 of 10 MB were used").contains(4L, 5L);
        assertThat(two.memory.keySet())
                .as("nothing had to go for what nobody reads")
                .containsAll(LongStream.range(11, 19).boxed().toList());
    }

    @Test
    void reads_ofALeavingDataNode_bringNothingNew_andMakeAnotherOneTheHome() {
        placement.policy(nowMs, applied("policy: adaptive"));
        leaves(one);
        for (int i = 0; i < 6; i++) {
            read(one, BLOCK, 3);
        }
        assertThat(one.memory).isEmpty();
        for (int i = 0; i < 6; i++) {
            read(two, BLOCK, 1);
        }
        assertThat(two.memory.keySet()).containsExactly(1L);
    }

    @Test
    void dataNode_thatStaysAfterAll_getsCopiesAgain() {
        placement.policy(nowMs, applied("policy: adaptive"));
        leaves(one);
        names.leaving.clear();
        waits(2_000);
        for (int i = 0; i < 6; i++) {
            read(one, BLOCK, 3);
        }
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void movesBetweenVolumes_ofALeavingDataNode_areNotMade() {
        rules("- {path: /data/**, tiers: ssd}");
        leaves(one);
        read(one, BLOCK, 1);
        read(two, BLOCK, 1);
        assertThat(ordered(one)).isEmpty();
        assertThat(ordered(two)).containsExactly("1 DISK SSD");
        assertThat(names.places.get(1L).on(one.uuid)).isEqualTo(new PlacedReplica(one.uuid, StorageTier.DISK, null));
    }
}
