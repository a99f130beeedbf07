package io.terrace.bench.simulation.fault;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.SlotAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/** Slots with a bug, for {@link Mutations}. */
abstract class MutatedSlots implements SlotAllocator {

    private final SlotAllocator slotAllocator;

    private MutatedSlots(SlotAllocator slotAllocator) {
        this.slotAllocator = slotAllocator;
    }

    @Override
    public int claim(BlockKey key) {
        return slotAllocator.claim(key);
    }

    @Override
    public long publish(int slot) {
        return slotAllocator.publish(slot);
    }

    @Override
    public void retire(int slot) {
        slotAllocator.retire(slot);
    }

    @Override
    public void free(int slot) {
        slotAllocator.free(slot);
    }

    /** Resets the sequence of a freed slot in the table's file. */
    static SlotAllocator sameSequence(SlotTable table, SlotAllocator slotAllocator) {
        int headerBytes = 4096;
        int slotBytes = 16;
        return new MutatedSlots(slotAllocator) {
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

    /** Marks a slot as retired only when it is freed. */
    static SlotAllocator liveTooLong(SlotAllocator slotAllocator) {
        return new MutatedSlots(slotAllocator) {
            @Override
            public void retire(int slot) {
                // Only free() shows it.
            }

            @Override
            public void free(int slot) {
                super.retire(slot);
                super.free(slot);
            }
        };
    }
}
