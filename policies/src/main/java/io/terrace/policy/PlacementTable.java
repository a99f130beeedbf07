package io.terrace.policy;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * The tier that each object is booked in: an entry for every object above the base tier, and for every object whose
 * latest request is not answered yet. Keeps the bytes booked per tier.
 */
final class PlacementTable {

    private static final long ABSENT = -1;
    private static final long TIER_MASK = 15;
    private static final long PENDING = 16;
    private static final long CLIMBING = 32;
    private static final int SIZE_SHIFT = 6;

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final long[] bookedBytes;
    private final int base;

    PlacementTable(int tiers) {
        base = tiers - 1;
        bookedBytes = new long[tiers];
        entries.defaultReturnValue(ABSENT);
    }

    boolean knows(long object) {
        return entries.get(object) != ABSENT;
    }

    int tier(long object) {
        long entry = entries.get(object);
        return entry == ABSENT ? base : (int) (entry & TIER_MASK);
    }

    /** Size the object is booked with, -1 when it has no entry. */
    long sizeBytes(long object) {
        return entries.get(object) >> SIZE_SHIFT;
    }

    boolean pending(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & PENDING) != 0;
    }

    /** Whether the object's latest request is not answered and was to a faster tier. */
    boolean climbing(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & CLIMBING) != 0;
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
        put(object, sizeBytes, tier, tier < tier(object) ? PENDING | CLIMBING : PENDING);
    }

    /** Gives an object with an entry another size. */
    void resize(long object, long sizeBytes) {
        long entry = entries.get(object);
        put(object, sizeBytes, (int) (entry & TIER_MASK), entry & (PENDING | CLIMBING));
    }

    private void put(long object, long sizeBytes, int tier, long flags) {
        unbook(entries.put(object, (sizeBytes << SIZE_SHIFT) | flags | tier));
        bookedBytes[tier] += sizeBytes;
    }

    void forget(long object) {
        unbook(entries.remove(object));
    }

    private void unbook(long entry) {
        if (entry != ABSENT) {
            bookedBytes[(int) (entry & TIER_MASK)] -= entry >>> SIZE_SHIFT;
        }
    }

    long bookedBytes(int tier) {
        return bookedBytes[tier];
    }

    long memoryBytes() {
        return 16L * Math.max(16, Long.highestOneBit(Math.max(1, entries.size() * 4L / 3)) * 2);
    }
}
