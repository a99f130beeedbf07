package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.move.HeldBlocks;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks of 1 MB that are written to two directories; a quarter of a DataNode's memory is 2.5 MB. */
class FirstReadPlacementTest extends SteppedLoop {

    private static final long HOUR_MS = 3_600_000;

    @BeforeEach
    void copyBeforeFirstReads() {
        placement = new PlacementEngine(
                settings(Map.of(
                        "terrace.placement.first-read.vain", "10",
                        "terrace.placement.first-read.within", "1h",
                        "terrace.placement.read-ahead.blocks", "0")),
                names,
                metricRegistry);
        activate();
        for (int id = 1; id < 40; id++) {
            name(block(id, 1), 100 + id, "/day/2026-11-" + id + "/part");
            name(block(100 + id, 1), 200 + id, "/archive/" + id);
        }
        beat(one);
        beat(two);
    }

    private void waitForCopies() {
        for (int i = 0; i < 8; i++) {
            beat(one);
            beat(two);
        }
    }

    private void pass(long ms) {
        for (long endMs = nowMs + ms; nowMs < endMs; nowMs += 5_000) {
            beat(one);
            beat(two);
        }
    }

    private void written(StampedBlock block) {
        beat(one.writes(block));
        waitForCopies();
    }

    private void readSoonAfterTheWrite(int blocks) {
        for (int id = 1; id <= blocks; id++) {
            written(block(id, 1));
            beat(one.reads(block(id, 1), 1));
        }
    }

    @Test
    void written_whereAllIsRead_isInMemoryBeforeItsFirstRead() {
        readSoonAfterTheWrite(6);
        assertThat(one.memory).doesNotContainKey(20L);
        written(block(20, 1));
        assertThat(one.memory).containsKey(20L);
        assertThat(placement.reports().block(nowMs, 20, 1).lastMoves())
                .singleElement()
                .satisfies(move -> {
                    assertThat(move.cause()).isEqualTo(Cause.FIRST_READ);
                    assertThat(move.reason())
                            .isEqualTo("100 % of what is written to directories like /day/#-#-# is read soon after");
                });
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isPositive();
    }

    @Test
    void written_whereNothingIsRead_isNot() {
        for (int id = 101; id < 120; id++) {
            written(block(id, 1));
        }
        assertThat(one.memory).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isZero();
    }

    @Test
    void copy_waitsForItsReadLongerThanOtherHeldBlocks_andIsThePolicysThen() {
        readSoonAfterTheWrite(6);
        written(block(20, 1));
        pass(HeldBlocks.HOLD_MS + 1_000);
        assertThat(held(20)).isTrue();
        beat(one.reads(block(20, 1), 1));
        beat(one);
        assertThat(held(20)).isFalse();
        assertThat(one.memory).containsKey(20L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_SERVED)).isPositive();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
    }

    @Test
    void copy_notReadInTime_isThePolicysAndCountsAsInVain() {
        readSoonAfterTheWrite(6);
        written(block(20, 1));
        pass(HOUR_MS);
        assertThat(held(20)).isFalse();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isEqualTo(MB);
    }

    @Test
    void copy_readWhileOnItsWay_isThePolicysAndNotInVain() {
        readSoonAfterTheWrite(6);
        one.carryOut = order -> MoveOutcome.LOST;
        written(block(20, 1));
        MoveOrder order = one.orders.get(one.orders.size() - 1);
        assertThat(order.block().id()).isEqualTo(20);
        beat(one.reads(block(20, 1), 1));
        assertThat(held(20)).isTrue();
        one.arrives(block(20, 1), false);
        one.result(order, 7, MoveOutcome.DONE);
        waitForCopies();
        assertThat(one.memory).containsKey(20L);
        assertThat(held(20)).isFalse();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
    }

    @Test
    void copy_readBeforeItIsOrdered_isNotWantedAnyMore() {
        readSoonAfterTheWrite(6);
        long ordered = metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED);
        beat(one.writes(block(20, 1)));
        beat(one.reads(block(20, 1), 1));
        waitForCopies();
        assertThat(one.memory).doesNotContainKey(20L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isEqualTo(ordered);
    }

    @Test
    void written_andReadInOneHeartbeat_countsAsRead() {
        for (int id = 1; id <= 6; id++) {
            beat(one.writesAndReads(block(id, 1)));
        }
        written(block(20, 1));
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isPositive();
    }

    /** Each DataNode with a replica reports the write, the last of them after the read. */
    @Test
    void written_toldByAllReplicas_isOneWrite() {
        for (int id = 1; id <= 6; id++) {
            beat(one.writes(block(id, 1)));
            beat(one.reads(block(id, 1), 1));
            beat(two.writes(block(id, 1)));
        }
        assertThat(names.pathLooks).isEqualTo(6);
        pass(HOUR_MS);
        written(block(20, 1));
        assertThat(one.memory).containsKey(20L);
    }

    /** As by a stock client, whom stock HDFS sends to another replica. */
    @Test
    void copy_readOnAnotherDataNode_isThePolicysAndCountsAsInVain() {
        readSoonAfterTheWrite(6);
        long served = metricRegistry.value(Metric.PLACEMENT_FIRST_READ_SERVED);
        written(block(20, 1));
        assertThat(one.memory).containsKey(20L);
        beat(two.stockReads(block(20, 1), 1));
        assertThat(held(20)).isFalse();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_SERVED)).isEqualTo(served);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isEqualTo(MB);
    }

    @Test
    void copy_readOnAnotherDataNodeWhileOnItsWay_countsAsInVainOnceItIsThere() {
        readSoonAfterTheWrite(6);
        one.carryOut = order -> MoveOutcome.LOST;
        written(block(20, 1));
        MoveOrder order = one.orders.get(one.orders.size() - 1);
        beat(two.stockReads(block(20, 1), 1));
        one.arrives(block(20, 1), false);
        one.result(order, 7, MoveOutcome.DONE);
        waitForCopies();
        assertThat(held(20)).isFalse();
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isEqualTo(MB);
    }

    @Test
    void copies_thatReadersOnOtherDataNodesMiss_areBounded() {
        FakeDataNode large = new FakeDataNode("large", 4_096 * MB);
        beat(large);
        for (int id = 1; id <= 5; id++) {
            beat(large.writes(block(id, 50)));
            beat(large.reads(block(id, 50), 1));
        }
        for (int id = 20; id < 40; id++) {
            beat(large.writes(block(id, 50)));
            for (int i = 0; i < 8; i++) {
                beat(large);
            }
            beat(two.stockReads(block(id, 50), 1));
        }
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isEqualTo(250 * MB);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_REFUSED)).isEqualTo(15);
    }

    @Test
    void written_whereReadersDoNotFindCopies_isNot() {
        warm(one, block(1, 1));
        pass(10_000);
        for (int id = 2; id <= 8; id++) {
            written(block(id, 1));
            beat(two.stockReads(block(id, 1), 1));
        }
        long ordered = metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED);
        for (int i = 0; i < 40; i++) {
            beat(two.stockReads(block(1, 1), 10));
            beat(one.stockReads(block(1, 1), 10));
        }
        written(block(20, 1));
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isEqualTo(ordered);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_REFUSED)).isPositive();
    }

    @Test
    void copies_ofMoreThanAQuarterOfMemory_areRefused() {
        readSoonAfterTheWrite(8);
        for (int id = 20; id < 26; id++) {
            written(block(id, 1));
        }
        assertThat(one.memory.keySet()).contains(20L, 21L).doesNotContain(22L, 23L, 24L, 25L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_REFUSED)).isEqualTo(4);
    }

    @Test
    void copies_ofManyWrittenAtOnce_areBoundedBeforeTheyAreOrdered() {
        FakeDataNode large = new FakeDataNode("large", 4_096 * MB);
        beat(large);
        for (int id = 1; id <= 5; id++) {
            beat(large.writes(block(id, 50)));
            beat(large.reads(block(id, 50), 1));
        }
        for (int id = 20; id < 40; id++) {
            large.writes(block(id, 50));
        }
        for (int i = 0; i < 20; i++) {
            beat(large);
        }
        assertThat(large.usedBytes()).as("256 MB may be in vain at first").isEqualTo(250 * MB);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_REFUSED)).isEqualTo(15);
    }

    @Test
    void copy_thatLeavesMemoryUnread_countsAsInVain() {
        readSoonAfterTheWrite(6);
        written(block(20, 1));
        assertThat(held(20)).isTrue();
        pass(10_000);
        one.leaves(block(20, 1));
        pass(10_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isEqualTo(MB);
    }

    @Test
    void written_worthLessThanWhatMemoryEarns_isNot() {
        memoryEarns(() -> one.reads(block(1, 1), 100));
        written(block(20, 1));
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isZero();
    }

    @Test
    void written_worthLessThanWhatMemoryEarnsFromStockClients_isNot() {
        memoryEarns(() -> one.stockReads(block(1, 1), 100));
        written(block(20, 1));
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isZero();
    }

    /** New blocks are read half an hour later, and the one in memory often. */
    private void memoryEarns(Runnable reads) {
        warm(one, block(1, 1));
        for (int id = 2; id <= 8; id++) {
            written(block(id, 1));
        }
        pass(HOUR_MS / 2);
        for (int id = 2; id <= 8; id++) {
            beat(one.reads(block(id, 1), 1));
        }
        for (int i = 0; i < 100; i++) {
            reads.run();
            beat(one);
            beat(two);
        }
    }

    @Test
    void written_byDefault_isInMemoryBeforeItsFirstRead() {
        placement = new PlacementEngine(settings, names, metricRegistry);
        activate();
        beat(one);
        readSoonAfterTheWrite(6);
        written(block(20, 1));
        assertThat(metricRegistry.value(Metric.PLACEMENT_FIRST_READ_ORDERED)).isPositive();
    }

    @Test
    void written_whileItIsOff_looksUpNothing() {
        placement =
                new PlacementEngine(settings(Map.of("terrace.placement.first-read.vain", "0")), names, metricRegistry);
        activate();
        beat(one);
        int looks = names.looks;
        written(block(20, 1));
        assertThat(names.looks).isEqualTo(looks);
    }

    private boolean held(long blockId) {
        return placement.reports().block(nowMs, blockId, 1).replicas().stream()
                .anyMatch(replica -> replica.heldForMs() > 0);
    }
}
