package io.terrace.policy;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * The tier that each object is booked in: an entry for every object above the base tier, and for every object whose
 * latest request is not answered yet. Keeps the bytes booked per tier.
 */
final class PlacementTable {

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final long[] bookedBytes;
    private final int base;

    PlacementTable(int tiers) {
        base = tiers - 1;
        bookedBytes = new long[tiers];
        entries.defaultReturnValue(PlaceEntry.ABSENT);
    }

    boolean knows(long object) {
        return entries.get(object) != PlaceEntry.ABSENT;
    }

    int tier(long object) {
        long entry = entries.get(object);
        return entry == PlaceEntry.ABSENT ? base : PlaceEntry.tier(entry);
    }

    /** Size the object is booked with, -1 when it has no entry. */
    long sizeBytes(long object) {
        return PlaceEntry.sizeBytes(entries.get(object));
    }

    boolean pending(long object) {
        return PlaceEntry.isPending(entries.get(object));
    }

    /** Whether the object's latest request is not answered and was to a faster tier. */
    boolean climbing(long object) {
        return PlaceEntry.isClimbing(entries.get(object));
    }

    /** Books a place that is known to be the truth. */
    void confirm(long object, long sizeBytes, int tier) {
        if (tier == base) {
            forget(object);
        } else {
            put(object, sizeBytes, tier, 0);
        }
    }

    /** Books a place that is requested. */
    void request(long object, long sizeBytes, int tier) {
        long flags = tier < tier(object) ? PlaceEntry.PENDING | PlaceEntry.CLIMBING : PlaceEntry.PENDING;
        put(object, sizeBytes, tier, flags);
    }

    /** Gives an object with an entry another size. */
    void resize(long object, long sizeBytes) {
        long entry = entries.get(object);
        put(object, sizeBytes, PlaceEntry.tier(entry), PlaceEntry.flags(entry));
    }

    private void put(long object, long sizeBytes, int tier, long flags) {
        unbook(entries.put(object, PlaceEntry.of(sizeBytes, tier, 0, flags)));
        bookedBytes[tier] += sizeBytes;
    }

    void forget(long object) {
        unbook(entries.remove(object));
    }

    private void unbook(long entry) {
        if (entry != PlaceEntry.ABSENT) {
            bookedBytes[PlaceEntry.tier(entry)] -= PlaceEntry.sizeBytes(entry);
        }
    }

    long bookedBytes(int tier) {
        return bookedBytes[tier];
    }

    long memoryBytes() {
        return 16L * Math.max(16, Long.highestOneBit(Math.max(1, entries.size() * 4L / 3)) * 2);
    }
}
