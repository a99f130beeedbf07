package io.terrace.datanode.nvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.AnnouncedSlots;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slot is in the table of this host where its clients may open the file, and elsewhere where they may not. */
class NvmSlotsTest {

    private static final int TABLE_SLOTS = 16;

    @TempDir
    Path directory;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private SlotTable table;
    private NvmSlots slots;

    @BeforeEach
    void make() throws IOException {
        table = SlotTable.create(directory.resolve("slots"), TABLE_SLOTS, new Random(1));
        slots = new NvmSlots(
                new SharedSlots(table),
                table.slots(),
                new AnnouncedSlots(new AnnouncedBlocks(table), table.slots()),
                key -> key.blockId() > 0,
                true,
                metricRegistry);
    }

    private static BlockKey key(long id) {
        return new BlockKey("pool", id, 1);
    }

    @Test
    void fileThatClientsOfThisHostOpen_isLiveInTheirTable_untilItRetires() {
        int slot = slots.claim(key(1));
        assertThat(slots.isInTable(slot)).isTrue();
        assertThat(table.lookup(key(1))).isNegative();
        long sequence = slots.publish(slot);
        assertThat(table.lookup(key(1))).isEqualTo(slot);
        assertThat(table.isLive(slot, sequence)).isTrue();
        slots.retire(slot);
        assertThat(table.lookup(key(1))).isNegative();
        assertThat(table.isReadable(slot, sequence)).isTrue();
        slots.free(slot);
        assertThat(table.isReadable(slot, sequence)).isFalse();
        assertThat(metricRegistry.value(Metric.NVM_LOCAL_NOT_SHOWN)).isZero();
    }

    @Test
    void otherFile_isNotInTheTable_andHasASlotThatNoneOfItHas() {
        int slot = slots.claim(key(-1));
        slots.publish(slot);
        assertThat(slots.isInTable(slot)).isFalse();
        assertThat(slot).isGreaterThanOrEqualTo(table.slots());
        assertThat(table.lookup(key(-1))).isNegative();
        assertThat(table.liveFingerprints()).isEmpty();
        assertThat(metricRegistry.value(Metric.NVM_LOCAL_NOT_SHOWN)).isEqualTo(1);
        slots.retire(slot);
        slots.free(slot);
    }

    @Test
    void fullTable_leavesTheRestToOtherHosts() {
        List<Integer> claimed = new ArrayList<>();
        for (int id = 1; id <= 2 * TABLE_SLOTS; id++) {
            claimed.add(slots.claim(key(id)));
        }
        assertThat(claimed).doesNotHaveDuplicates();
        assertThat(claimed.stream().filter(slots::isInTable)).isNotEmpty().hasSizeLessThanOrEqualTo(TABLE_SLOTS);
    }
}
