package io.terrace.policy.shelf;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * Where each object is booked to stand: an entry for every object outside the home tier, and for every object whose
 * latest wish is not answered yet. Keeps the bytes booked per tier.
 */
final class Ledger {

    private static final long ABSENT = -1;
    private static final int TIER_BITS = 7;
    private static final long PENDING = 1L << TIER_BITS;
    private static final int SIZE_SHIFT = TIER_BITS + 1;

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final long[] bookedBytes;
    private final int home;

    Ledger(int tiers) {
        home = tiers - 1;
        bookedBytes = new long[tiers];
        entries.defaultReturnValue(ABSENT);
    }

    boolean knows(long object) {
        return entries.get(object) != ABSENT;
    }

    int tier(long object) {
        long entry = entries.get(object);
        return entry == ABSENT ? home : (int) (entry & (PENDING - 1));
    }

    /** Size the object is booked with, -1 when it has no entry. */
    long sizeBytes(long object) {
        return entries.get(object) >> SIZE_SHIFT;
    }

    boolean pending(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & PENDING) != 0;
    }

    void book(long object, long sizeBytes, int tier, boolean pending) {
        long before;
        if (tier == home && !pending) {
            before = entries.remove(object);
        } else {
            before = entries.put(object, sizeBytes << SIZE_SHIFT | (pending ? PENDING : 0) | tier);
            bookedBytes[tier] += sizeBytes;
        }
        unbook(before);
    }

    void forget(long object) {
        unbook(entries.remove(object));
    }

    private void unbook(long entry) {
        if (entry != ABSENT) {
            bookedBytes[(int) (entry & (PENDING - 1))] -= entry >>> SIZE_SHIFT;
        }
    }

    long bookedBytes(int tier) {
        return bookedBytes[tier];
    }

    long memoryBytes() {
        return 16L * Math.max(16, Long.highestOneBit(Math.max(1, entries.size() * 4L / 3)) * 2);
    }
}
