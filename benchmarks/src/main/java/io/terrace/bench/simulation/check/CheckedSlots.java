package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.SlotAllocator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The slots of one DataNode process: one owner at a time, and no sequence twice. */
final class CheckedSlots implements SlotAllocator {

    private record Use(int slot, long sequence) {}

    private final SlotAllocator slotAllocator;
    private final Map<Integer, BlockKey> owners = new HashMap<>();
    private final Set<Use> uses = new HashSet<>();

    CheckedSlots(SlotAllocator slotAllocator) {
        this.slotAllocator = slotAllocator;
    }

    @Override
    public int claim(BlockKey key) {
        int slot = slotAllocator.claim(key);
        if (slot != Extent.NO_SLOT) {
            BlockKey before = owners.put(slot, key);
            Violation.unless(before == null, Invariant.ONE_OWNER, "slot %d of %s is claimed for %s", slot, before, key);
        }
        return slot;
    }

    @Override
    public long publish(int slot) {
        long sequence = slotAllocator.publish(slot);
        Violation.unless(
                uses.add(new Use(slot, sequence)),
                Invariant.ONE_OWNER,
                "slot %d is live a second time with sequence %d",
                slot,
                sequence);
        return sequence;
    }

    @Override
    public void retire(int slot) {
        slotAllocator.retire(slot);
    }

    @Override
    public void free(int slot) {
        owners.remove(slot);
        slotAllocator.free(slot);
    }
}
