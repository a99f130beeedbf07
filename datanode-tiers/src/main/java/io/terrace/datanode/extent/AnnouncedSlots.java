package io.terrace.datanode.extent;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.common.BlockKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Slots of extents that only clients of other hosts are granted: they are told of them, and the table that local clients map
 * says nothing. As many as are claimed. Thread-safe.
 */
public final class AnnouncedSlots implements SlotAllocator {

    private final AnnouncedBlocks blocks;
    private final Map<Integer, BlockKey> claimed = new HashMap<>();
    private final int firstSlot;
    private int lastSlot;
    private long lastSequence;

    /**
     * Announces what is live here.
     *
     * @param firstSlot slots are numbered from here
     */
    public AnnouncedSlots(AnnouncedBlocks blocks, int firstSlot) {
        this.blocks = blocks;
        this.firstSlot = firstSlot;
        this.lastSlot = firstSlot - 1;
    }

    @Override
    public synchronized int claim(BlockKey key) {
        do {
            lastSlot = lastSlot == Integer.MAX_VALUE ? firstSlot : lastSlot + 1;
        } while (claimed.containsKey(lastSlot));
        claimed.put(lastSlot, key);
        return lastSlot;
    }

    @Override
    public synchronized long publish(int slot) {
        blocks.add(key(slot));
        return ++lastSequence;
    }

    @Override
    public synchronized void retire(int slot) {
        blocks.remove(key(slot));
    }

    @Override
    public synchronized void free(int slot) {
        claimed.remove(slot);
    }

    private BlockKey key(int slot) {
        return Objects.requireNonNull(claimed.get(slot), "a slot that nobody claimed");
    }
}
