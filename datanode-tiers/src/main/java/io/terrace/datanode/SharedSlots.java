package io.terrace.datanode;

import io.terrace.channel.BlockKey;
import io.terrace.channel.SlotTable;

/** The slots of the table that local clients map. */
public record SharedSlots(SlotTable table) implements Slots {

    /** No table: no local client is granted anything, stock readers are served. */
    public static final Slots NONE = new Slots() {
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
