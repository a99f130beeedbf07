package io.terrace.channel.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotTableTest {
    @TempDir
    Path dir;

    private static BlockKey block(long id) {
        return new BlockKey("BP-1", id, 1000 + id);
    }

    private SlotTable create(int slots) throws IOException {
        return SlotTable.create(dir.resolve("slots"), slots, new Random(1));
    }

    @Test
    void lookup_ofClaimedSlot_findsNothingBeforePublish() throws IOException {
        try (SlotTable table = create(64);
                SlotTable reader = SlotTable.open(table.path())) {
            int slot = table.claim(block(1));
            assertThat(reader.lookup(block(1))).isEqualTo(-1);
            long sequence = table.publish(slot);
            assertThat(reader.lookup(block(1))).isEqualTo(slot);
            assertThat(reader.isLive(slot, sequence)).isTrue();
        }
    }

    @Test
    void lookup_ofOtherStampOrPool_findsNothing() throws IOException {
        try (SlotTable table = create(64)) {
            table.publish(table.claim(block(1)));
            assertThat(table.lookup(new BlockKey("BP-1", 1, 1002))).isEqualTo(-1);
            assertThat(table.lookup(new BlockKey("BP-2", 1, 1001))).isEqualTo(-1);
        }
    }

    @Test
    void retire_endsLiveButNotReadable_freeEndsBoth() throws IOException {
        try (SlotTable table = create(64);
                SlotTable reader = SlotTable.open(table.path())) {
            int slot = table.claim(block(1));
            long sequence = table.publish(slot);
            table.retire(slot);
            assertThat(reader.isLive(slot, sequence)).isFalse();
            assertThat(reader.isReadable(slot, sequence)).isTrue();
            assertThat(reader.lookup(block(1))).isEqualTo(-1);
            table.free(slot);
            assertThat(reader.isReadable(slot, sequence)).isFalse();
        }
    }

    @Test
    void publish_ofReusedSlot_hasAnotherSequence() throws IOException {
        try (SlotTable table = create(64)) {
            int slot = table.claim(block(1));
            long first = table.publish(slot);
            table.retire(slot);
            table.free(slot);
            int again = table.claim(block(1));
            assertThat(again).isEqualTo(slot);
            assertThat(table.publish(again)).isNotEqualTo(first);
            assertThat(table.isLive(slot, first)).isFalse();
        }
    }

    @Test
    void step_outOfOrder_isRefused() throws IOException {
        try (SlotTable table = create(64)) {
            int slot = table.claim(block(1));
            assertThatThrownBy(() -> table.retire(slot)).isInstanceOf(IllegalStateException.class);
            table.publish(slot);
            assertThatThrownBy(() -> table.publish(slot)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> table.free(slot)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void claim_ofReader_isRefused() throws IOException {
        try (SlotTable table = create(64);
                SlotTable reader = SlotTable.open(table.path())) {
            assertThatThrownBy(() -> reader.claim(block(1))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> reader.beat(1)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void beat_isSeenByReader() throws IOException {
        try (SlotTable table = create(16);
                SlotTable reader = SlotTable.open(table.path())) {
            table.beat(42);
            assertThat(reader.heartbeat()).isEqualTo(42);
            assertThat(reader.incarnation()).isEqualTo(table.incarnation()).isNotZero();
        }
    }

    @Test
    void claim_ofManyBlocks_fillsBeyondThreeQuarters() throws IOException {
        try (SlotTable table = create(4096)) {
            int claimed = 0;
            while (table.claim(block(claimed)) >= 0) {
                claimed++;
            }
            assertThat(claimed).isGreaterThan(table.slots() * 3 / 4);
        }
    }

    @Test
    void open_ofForeignOrDamagedFile_isRefused() throws IOException {
        Path file = dir.resolve("other");
        Files.write(file, new byte[100]);
        assertThatThrownBy(() -> SlotTable.open(file)).isInstanceOf(IOException.class);
        Files.write(file, new byte[SlotTable.HEADER_BYTES + 256]);
        assertThatThrownBy(() -> SlotTable.open(file)).isInstanceOf(IOException.class);
        try (SlotTable table = create(64)) {
            try (FileChannel channel = FileChannel.open(table.path(), StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {7}), 12);
            }
            assertThatThrownBy(() -> SlotTable.open(table.path())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void states_overRandomLife_matchAPlainMap() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (SlotTable table = create(256);
                SlotTable reader = SlotTable.open(table.path())) {
            Map<BlockKey, Integer> live = new HashMap<>();
            Map<Integer, Long> sequences = new HashMap<>();
            List<Integer> retiring = new ArrayList<>();
            for (int step = 0; step < 20_000; step++) {
                BlockKey block = block(random.nextInt(400));
                if (!live.containsKey(block)) {
                    int slot = table.claim(block);
                    if (slot >= 0) {
                        sequences.put(slot, table.publish(slot));
                        live.put(block, slot);
                    }
                } else if (random.nextBoolean()) {
                    int slot = live.remove(block);
                    table.retire(slot);
                    retiring.add(slot);
                }
                if (retiring.size() > random.nextInt(20)) {
                    int slot = retiring.remove(random.nextInt(retiring.size()));
                    long sequence = sequences.remove(slot);
                    table.free(slot);
                    assertThat(reader.isReadable(slot, sequence))
                            .as("seed %d", seed)
                            .isFalse();
                }
                BlockKey asked = block(random.nextInt(400));
                int found = reader.lookup(asked);
                assertThat(found).as("seed %d step %d", seed, step).isEqualTo(live.getOrDefault(asked, -1));
                if (found >= 0) {
                    assertThat(reader.isLive(found, sequences.get(found)))
                            .as("seed %d", seed)
                            .isTrue();
                }
            }
        }
    }
}
