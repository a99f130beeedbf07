package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.datanode.Extent;
import io.terrace.datanode.Slots;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The slots of one DataNode process: one owner at a time, and no sequence twice. */
final class WatchedSlots implements Slots {

    private record Use(int slot, long sequence) {}

    private final Slots slots;
    private final Map<Integer, BlockKey> owners = new HashMap<>();
    private final Set<Use> uses = new HashSet<>();

    WatchedSlots(Slots slots) {
        this.slots = slots;
    }

    @Override
    public int claim(BlockKey key) {
        int slot = slots.claim(key);
        if (slot != Extent.NO_SLOT) {
            BlockKey before = owners.put(slot, key);
            Violation.unless(before == null, Invariant.ONE_OWNER, "slot %d of %s is claimed for %s", slot, before, key);
        }
        return slot;
    }

    @Override
    public long publish(int slot) {
        long sequence = slots.publish(slot);
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
        slots.retire(slot);
    }

    @Override
    public void free(int slot) {
        owners.remove(slot);
        slots.free(slot);
    }
}
