package io.terrace.datanode.extent;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;

/** The slots of the table that local clients map. */
public record SharedSlots(SlotTable table) implements SlotAllocator {

    /** No table: no local client is granted anything, stock readers are served. */
    public static final SlotAllocator NONE = new SlotAllocator() {
        @Override
        public int claim(BlockKey key) {
            return Extent.NO_SLOT;
        }

        @Override
        public long publish(int slot) {
            throw new IllegalStateException("there are no slots");
        }

        @Override
        public void retire(int slot) {
            throw new IllegalStateException("there are no slots");
        }

        @Override
        public void free(int slot) {
            throw new IllegalStateException("there are no slots");
        }
    };

    @Override
    public int claim(BlockKey key) {
        return table.claim(key);
    }

    @Override
    public long publish(int slot) {
        return table.publish(slot);
    }

    @Override
    public void retire(int slot) {
        table.retire(slot);
    }

    @Override
    public void free(int slot) {
        table.free(slot);
    }
}
