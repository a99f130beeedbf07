package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import org.jspecify.annotations.Nullable;

/**
 * What shelves over an {@link ObjectTable} share: finding the slot, taking in what is here already, changes of size and
 * capacity. A subclass keeps the order in which objects leave, and may keep slots for objects that have left (ghosts).
 */
abstract class TableCachePolicy implements CachePolicy {

    static final int NONE = ObjectTable.NONE;

    final ObjectTable table = new ObjectTable();
    final String name;
    long capacityBytes;
    long latestMs = Long.MIN_VALUE;

    TableCachePolicy(String name, long capacityBytes) {
        this.name = name;
        this.capacityBytes = capacityBytes;
    }

    /** The object in the slot, resident, is used again. */
    abstract void hit(int slot, Access access);

    /** An object that is not resident is used; the slot is that of its ghost or {@link #NONE}. It fits the capacity. */
    abstract void miss(int slot, Access access, Evictions evictions);

    abstract boolean resident(int slot);

    /** Puts an object without a place into the order, as one just used. */
    abstract void insert(int slot);

    /** Takes a resident or ghost out of the order; the slot stays. */
    abstract void unlink(int slot);

    /** Evicts until the used bytes are within the capacity. */
    abstract void shrink(Evictions evictions);

    /** Bytes held by the subclass's own columns. */
    abstract long orderBytes();

    /** The victim next in line, {@link #NONE} when there is none; must not change anything. */
    abstract int nextVictim();

    /** The figure by which the object is judged, NaN when there is none but its place in a queue. */
    double figure(int slot) {
        return Double.NaN;
    }

    /** What {@link #figure} is, and where in the order the object is, for a person to read. */
    abstract String standing(int slot);

    @Override
    public final void access(Access access, Evictions evictions) {
        latestMs = Math.max(latestMs, access.nowMs());
        int slot = table.find(access.object());
        if (slot != NONE && resident(slot)) {
            hit(slot, access);
        } else if (access.sizeBytes() <= capacityBytes) {
            miss(slot, access, evictions);
        }
    }

    @Override
    public final boolean holds(long object) {
        int slot = table.find(object);
        return slot != NONE && resident(slot);
    }

    @Override
    public final void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        latestMs = Math.max(latestMs, nowMs);
        int slot = table.find(object);
        if (slot != NONE && resident(slot)) {
            return;
        }
        if (slot != NONE) {
            unlink(slot);
            table.remove(slot);
        }
        insert(table.add(object, sizeBytes));
        shrink(evictions);
    }

    @Override
    public final void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = table.find(object);
        if (slot == NONE || !resident(slot)) {
            return;
        }
        unlink(slot);
        if (sizeBytes > capacityBytes) {
            table.remove(slot);
            evictions.evicted(object, sizeBytes);
            return;
        }
        table.resize(slot, sizeBytes);
        insert(slot);
        shrink(evictions);
    }

    @Override
    public final void drop(long object) {
        int slot = table.find(object);
        if (slot != NONE) {
            unlink(slot);
            table.remove(slot);
        }
    }

    @Override
    public final void resize(long bytes, Evictions evictions) {
        capacityBytes = bytes;
        capacityChanged();
        shrink(evictions);
    }

    /** Hook for shelves that divide the capacity. */
    void capacityChanged() {}

    @Override
    public final long capacityBytes() {
        return capacityBytes;
    }

    @Override
    public final long trackedObjects() {
        return table.count();
    }

    @Override
    public final long memoryBytes() {
        return table.memoryBytes() + orderBytes();
    }

    @Override
    public final @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = table.find(object);
        if (slot == NONE) {
            return null;
        }
        boolean here = resident(slot);
        int victim = nextVictim();
        boolean rival = victim != NONE && victim != slot;
        double figure = figure(slot);
        double bar = rival ? figure(victim) : Double.NaN;
        String sentence = (here ? "stays: " : "left or was not let in: ")
                + standing(slot)
                + (rival ? "; next to leave is object " + table.id(victim) + ", " + standing(victim) : "");
        return new Explanation(
                name,
                here ? "kept" : "remembered",
                object,
                tier,
                figure,
                bar,
                -1,
                rival ? table.id(victim) : Explanation.NO_RIVAL,
                sentence);
    }
}
