package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PlacementPolicy;

/**
 * A cache policy that keeps its objects in queues or lists: an object leaves by its place there. A subclass keeps the order,
 * and may keep slots for objects that have left (ghosts).
 */
abstract class OrderedCachePolicy extends TableCachePolicy {

    OrderedCachePolicy(String name, long capacityBytes) {
        super(name, capacityBytes);
    }

    /** The object in the slot, resident, is used again. */
    abstract void hit(int slot, Access access);

    /** An object that is not resident is used; the slot is that of its ghost or {@link #NONE}. It fits the capacity. */
    abstract void miss(int slot, Access access, Evictions evictions);

    /** Puts an object without a place into the order, as one just used. */
    abstract void insert(int slot);

    /** The queue or list that a resident or ghost is in. */
    abstract IndexedList chainOf(int slot);

    /** Takes a resident or ghost out of the order; the slot stays. */
    void unlink(int slot) {
        chainOf(slot).remove(slot, table.size(slot));
    }

    /** The victim next in line, {@link #NONE} when there is none; must not change anything. */
    abstract int nextVictim();

    /** The figure by which the object is judged, NaN when there is none but its place in a queue. */
    double figure(int slot) {
        return Double.NaN;
    }

    /** What {@link #figure} is, and where in the order the object is, for a person to read. */
    abstract String position(int slot);

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
        int slot = residentSlot(object);
        if (slot == NONE) {
            return;
        }
        if (sizeBytes > capacityBytes) {
            unlink(slot);
            table.remove(slot);
            evictions.evicted(object, sizeBytes);
            return;
        }
        // A new size is no use of the object, so it keeps its place.
        chainOf(slot).grow(sizeBytes - table.size(slot));
        table.resize(slot, sizeBytes);
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
    public final long nextToLeave() {
        int slot = nextVictim();
        return slot == NONE ? PlacementPolicy.NO_OBJECT : table.id(slot);
    }

    @Override
    final Explanation explainSlot(long nowMs, int slot, int tier) {
        boolean here = resident(slot);
        int victim = nextVictim();
        boolean competitor = victim != NONE && victim != slot;
        double figure = figure(slot);
        double bar = competitor ? figure(victim) : Double.NaN;
        String sentence = (here ? "stays: " : "left or was not let in: ")
                + position(slot)
                + (competitor ? "; next to leave is object " + table.id(victim) + ", " + position(victim) : "");
        return new Explanation(
                name,
                here ? "kept" : "remembered",
                table.id(slot),
                tier,
                figure,
                bar,
                -1,
                competitor ? table.id(victim) : Explanation.NO_COMPETITOR,
                sentence);
    }
}
