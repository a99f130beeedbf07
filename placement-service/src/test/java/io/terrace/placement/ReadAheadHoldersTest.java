package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.state.NamespaceView.Located;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies ahead of readers of files whose blocks are on two DataNodes or three, read a block in three quarters of a second. */
class ReadAheadHoldersTest extends ReadAheadHoldersFixture {
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
