package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.PlacementPolicy;

/**
 * A cache policy that ranks all objects by one figure: the one of least rank leaves. An object outside may be admitted only if
 * it ranks higher than each of those that would have to leave for it. Figures of objects outside are kept for the {@code
 * remembered} most recently read ones.
 */
abstract class RankedCachePolicy extends TableCachePolicy {

    final IndexedHeap residents = new IndexedHeap();
    /** Objects that are counted but not here, most recently read at the head. */
    private final IndexedList outside = new IndexedList();

    private final int remembered;
    private int[] trial = new int[16];
    private long[] trialTurns = new long[16];
    private long usedBytes;

    /** @param remembered objects outside that are counted */
    RankedCachePolicy(String name, long capacityBytes, int remembered) {
        super(name, capacityBytes);
        this.remembered = remembered;
    }

    /** A slot has been given to an object that was not known; {@link ObjectTable#slotCapacity} may have grown. */
    abstract void begin(int slot);

    /** The object was read, {@link Access#burst} times; it is {@code known} if it was before. */
    abstract void count(int slot, Access access, boolean known);

    /** Rank of the object; objects of equal rank leave in the order in which they were ranked. */
    abstract double rank(int slot);

    /** Whether the object, which is outside, is let in; whatever must leave for it does. */
    abstract boolean admits(int slot);

    /** An object of that rank, the least, is about to leave to make room. */
    void leaves(double rank) {}

    /** Bytes of the columns that the subclass keeps. */
    abstract long figureBytes();

    @Override
    final boolean resident(int slot) {
        return residents.contains(slot);
    }

    @Override
    public final void access(Access access, Evictions evictions) {
        latestMs = Math.max(latestMs, access.nowMs());
        int slot = table.find(access.object());
        boolean known = slot != NONE;
        if (!known) {
            slot = remember(access.object(), access.sizeBytes());
        }
        count(slot, access, known);
        if (residents.contains(slot)) {
            rankAgain(slot);
            return;
        }
        table.resize(slot, access.sizeBytes());
        outside.moveToHead(slot);
        if (admits(slot)) {
            outside.remove(slot, 0);
            usedBytes += table.size(slot);
            shrink(evictions);
            residents.put(slot, rank(slot));
        }
        forgetOldest();
    }

    private void rankAgain(int slot) {
        double rank = rank(slot);
        if (rank != residents.key(slot)) {
            residents.put(slot, rank);
        }
    }

    /** Whether room can be made by residents that all rank lower. They are taken out one by one and put back after. */
    final boolean beatsVictims(int slot) {
        long needed = table.size(slot);
        if (needed > capacityBytes) {
            return false;
        }
        double rank = rank(slot);
        long room = capacityBytes - usedBytes;
        int popped = 0;
        while (room < needed && residents.count() > 0 && residents.leastKey() < rank) {
            int victim = residents.least();
            room += table.size(victim);
            if (popped == trial.length) {
                trial = ObjectTable.grown(trial, popped * 2);
                trialTurns = ObjectTable.grown(trialTurns, popped * 2);
            }
            trialTurns[popped] = residents.turn(victim);
            trial[popped++] = victim;
            residents.remove(victim);
        }
        while (popped > 0) {
            int victim = trial[--popped];
            residents.restore(victim, rank(victim), trialTurns[popped]);
        }
        return room >= needed;
    }

    @Override
    final void shrink(Evictions evictions) {
        while (usedBytes > capacityBytes && residents.count() > 0) {
            leaves(residents.leastKey());
            leave(residents.least(), evictions);
        }
        forgetOldest();
    }

    private void leave(int victim, Evictions evictions) {
        residents.remove(victim);
        usedBytes -= table.size(victim);
        outside.pushHead(victim, 0);
        evictions.evicted(table.id(victim), table.size(victim));
    }

    private int remember(long object, long sizeBytes) {
        int slot = table.add(object, sizeBytes);
        begin(slot);
        outside.pushHead(slot, 0);
        return slot;
    }

    private void forgetOldest() {
        while (outside.count() > remembered) {
            int oldest = outside.tail();
            outside.remove(oldest, 0);
            table.remove(oldest);
        }
    }

    @Override
    public final void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        latestMs = Math.max(latestMs, nowMs);
        int slot = table.find(object);
        if (slot == NONE) {
            slot = remember(object, sizeBytes);
        }
        if (!residents.contains(slot)) {
            outside.remove(slot, 0);
            table.resize(slot, sizeBytes);
            usedBytes += sizeBytes;
            residents.put(slot, rank(slot));
        }
        shrink(evictions);
    }

    @Override
    public final void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = residentSlot(object);
        if (slot == NONE) {
            return;
        }
        usedBytes += sizeBytes - table.size(slot);
        table.resize(slot, sizeBytes);
        rankAgain(slot);
        if (sizeBytes > capacityBytes) {
            leave(slot, evictions);
        }
        shrink(evictions);
    }

    @Override
    public final void drop(long object) {
        int slot = residentSlot(object);
        if (slot != NONE) {
            residents.remove(slot);
            usedBytes -= table.size(slot);
            outside.pushHead(slot, 0);
            forgetOldest();
        }
    }

    @Override
    public final void forget(long object) {
        drop(object);
        int slot = table.find(object);
        if (slot != NONE) {
            outside.remove(slot, 0);
            table.remove(slot);
        }
    }

    @Override
    public final long nextToLeave() {
        return residents.count() == 0 ? PlacementPolicy.NO_OBJECT : table.id(residents.least());
    }

    @Override
    public final long usedBytes() {
        return usedBytes;
    }

    @Override
    final long columnBytes() {
        return residents.memoryBytes() + outside.memoryBytes() + figureBytes() + 12L * trial.length;
    }
}
