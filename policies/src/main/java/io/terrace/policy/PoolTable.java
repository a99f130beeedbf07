package io.terrace.policy;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;

/**
 * Which pool each object in memory belongs to, and the bytes of each pool. An entry for every object in memory and for
 * every object whose latest wish is not answered yet. Objects in memory whose pool is not known yet belong to none; they
 * are kept in the order in which they came.
 */
final class PoolTable {

    static final int ABSENT = -1;

    private static final long POOL_MASK = 31;
    private static final long PENDING = 32;
    private static final long OUT = 64;
    private static final int SIZE_SHIFT = 7;

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final LongLinkedOpenHashSet unassigned = new LongLinkedOpenHashSet();
    private final long[] usedBytes;
    private final int nobody;
    private long totalBytes;

    PoolTable(int pools) {
        nobody = pools;
        usedBytes = new long[pools + 1];
        entries.defaultReturnValue(ABSENT);
    }

    /** The object's pool, the number of pools where that is not known, {@link #ABSENT} without an entry. */
    int pool(long object) {
        long entry = entries.get(object);
        return entry == ABSENT ? ABSENT : (int) (entry & POOL_MASK);
    }

    boolean isIn(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & OUT) == 0;
    }

    boolean isPending(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & PENDING) != 0;
    }

    /** The object stands in memory. */
    void in(long object, long sizeBytes, int pool) {
        put(object, sizeBytes, pool, 0);
    }

    /** It was wished into memory, or out of it. */
    void wished(long object, long sizeBytes, int pool, boolean into) {
        put(object, sizeBytes, pool, into ? PENDING : PENDING | OUT);
    }

    /** An object in memory has another size. */
    void resize(long object, long sizeBytes) {
        long entry = entries.get(object);
        if (entry != ABSENT && (entry & OUT) == 0 && entry >> SIZE_SHIFT != sizeBytes) {
            put(object, sizeBytes, (int) (entry & POOL_MASK), entry & PENDING);
        }
    }

    private void put(long object, long sizeBytes, int pool, long flags) {
        count(entries.put(object, sizeBytes << SIZE_SHIFT | flags | pool), -1);
        count(entries.get(object), 1);
        if (pool == nobody && flags == 0) {
            unassigned.add(object);
        } else {
            unassigned.remove(object);
        }
    }

    void forget(long object) {
        count(entries.remove(object), -1);
        unassigned.remove(object);
    }

    private void count(long entry, int sign) {
        if (entry != ABSENT && (entry & OUT) == 0) {
            usedBytes[(int) (entry & POOL_MASK)] += sign * (entry >> SIZE_SHIFT);
            totalBytes += sign * (entry >> SIZE_SHIFT);
        }
    }

    long sizeBytes(long object) {
        return entries.get(object) >> SIZE_SHIFT;
    }

    boolean hasUnassigned() {
        return !unassigned.isEmpty();
    }

    long firstUnassigned() {
        return unassigned.firstLong();
    }

    long usedBytes(int pool) {
        return usedBytes[pool];
    }

    long totalBytes() {
        return totalBytes;
    }

    long memoryBytes() {
        return 16L * 2 * Long.highestOneBit(Math.max(16, entries.size() * 4L / 3))
                + 24L * 2 * Long.highestOneBit(Math.max(16, unassigned.size() * 4L / 3));
    }
}
