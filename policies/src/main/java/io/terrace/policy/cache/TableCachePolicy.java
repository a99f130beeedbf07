package io.terrace.policy.cache;

import io.terrace.policy.api.Explanation;
import org.jspecify.annotations.Nullable;

/** A cache policy whose objects, resident or remembered, have slots in an {@link ObjectTable}. */
abstract class TableCachePolicy implements CachePolicy {

    static final int NONE = ObjectTable.NONE;

    final ObjectTable table = new ObjectTable();
    final String name;
    long capacityBytes;
    /** Latest time of an access; time does not go back. */
    long latestMs = Long.MIN_VALUE;

    TableCachePolicy(String name, long capacityBytes) {
        this.name = name;
        this.capacityBytes = capacityBytes;
    }

    /** Whether the object in the slot is resident; otherwise it is only remembered. */
    abstract boolean resident(int slot);

    /** Evicts until the used bytes are within the capacity. */
    abstract void shrink(Evictions evictions);

    /** Bytes held besides the table. */
    abstract long columnBytes();

    /** As {@link #explain}, for the object in the slot. */
    abstract Explanation explainSlot(long nowMs, int slot, int tier);

    /** The object's slot if it is resident, else {@link #NONE}. */
    final int residentSlot(long object) {
        int slot = table.find(object);
        return slot != NONE && resident(slot) ? slot : NONE;
    }

    @Override
    public final boolean holds(long object) {
        return residentSlot(object) != NONE;
    }

    @Override
    public final void resize(long bytes, Evictions evictions) {
        capacityBytes = bytes;
        shrink(evictions);
    }

    @Override
    public final long trackedObjects() {
        return table.count();
    }

    @Override
    public final long memoryBytes() {
        return table.memoryBytes() + columnBytes();
    }

    @Override
    public final @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = table.find(object);
        return slot == NONE ? null : explainSlot(nowMs, slot, tier);
    }
}
