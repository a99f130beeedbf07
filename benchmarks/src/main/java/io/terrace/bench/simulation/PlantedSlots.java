package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.channel.SlotTable;
import io.terrace.datanode.Slots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/** Slots with a bug, for {@link Planted}. */
abstract class PlantedSlots implements Slots {

    private final Slots slots;

    private PlantedSlots(Slots slots) {
        this.slots = slots;
    }

    @Override
    public int claim(BlockKey key) {
        return slots.claim(key);
    }

    @Override
    public long publish(int slot) {
        return slots.publish(slot);
    }

    @Override
    public void retire(int slot) {
        slots.retire(slot);
    }

    @Override
    public void free(int slot) {
        slots.free(slot);
    }

    /** Turns the sequence of a freed slot back, in the table's file. */
    static Slots sameSequence(SlotTable table, Slots slots) {
        int headerBytes = 4096;
        int slotBytes = 16;
        return new PlantedSlots(slots) {
            @Override
            public void free(int slot) {
                long sequence = table.sequence(slot);
                super.free(slot);
                ByteBuffer word = ByteBuffer.allocate(Long.BYTES).putLong(Long.reverseBytes(sequence << 8));
                try (FileChannel file = FileChannel.open(table.path(), StandardOpenOption.WRITE)) {
                    file.write(word.flip(), headerBytes + (long) slot * slotBytes);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    /** Shows a slot as retired only when it is freed. */
    static Slots liveTooLong(Slots slots) {
        return new PlantedSlots(slots) {
            @Override
            public void retire(int slot) {
                // Left to free.
            }

            @Override
            public void free(int slot) {
                super.retire(slot);
                super.free(slot);
            }
        };
    }
}
