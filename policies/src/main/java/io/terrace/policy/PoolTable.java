package io.terrace.policy;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * Which pool each object belongs to and which tier it is booked in: an entry for every object above the base tier and for
 * every object whose latest request is not answered yet. Counts the bytes in the tiers' {@link TierPartition}s.
 */
final class PoolTable {

    static final int ABSENT = -1;

    private static final long POOL_MASK = 15;
    private static final int TIER_SHIFT = 4;
    private static final long TIER_MASK = 15;
    private static final long PENDING = 256;
    private static final int SIZE_SHIFT = 9;

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final TierPartition[] partitions;
    private final int unknownPool;

    /** @param partitions of the tiers above the base */
    PoolTable(int pools, TierPartition[] partitions) {
        this.partitions = partitions;
        unknownPool = pools;
        entries.defaultReturnValue(ABSENT);
    }

    /** The object's pool, the number of pools where that is not known, {@link #ABSENT} without an entry. */
    int pool(long object) {
        long entry = entries.get(object);
        return entry == ABSENT ? ABSENT : poolOf(entry);
    }

    /** The tier that the object is booked in. */
    int tier(long object) {
        long entry = entries.get(object);
        return entry == ABSENT ? partitions.length : tierOf(entry);
    }

    boolean isPending(long object) {
        long entry = entries.get(object);
        return entry != ABSENT && (entry & PENDING) != 0;
    }

    /** Books a place that is known to be the truth. */
    void confirm(long object, long sizeBytes, int pool, int tier) {
        if (tier < partitions.length) {
            put(object, sizeBytes, pool, tier, 0);
        } else {
            forget(object);
        }
    }

    /** Books a place that is requested. */
    void request(long object, long sizeBytes, int pool, int tier) {
        put(object, sizeBytes, pool, tier, PENDING);
    }

    /** An object above the base has another size. */
    void resize(long object, long sizeBytes) {
        long entry = entries.get(object);
        if (entry != ABSENT && tierOf(entry) < partitions.length && sizeOf(entry) != sizeBytes) {
            put(object, sizeBytes, poolOf(entry), tierOf(entry), entry & PENDING);
        }
    }

    /** An object listed as unassigned in a tier keeps its place there for as long as it stays so. */
    private void put(long object, long sizeBytes, int pool, int tier, long flags) {
        long entry = sizeBytes << SIZE_SHIFT | flags | (long) tier << TIER_SHIFT | pool;
        long before = entries.put(object, entry);
        count(before, -1);
        count(entry, 1);
        if (!isUnassigned(entry)) {
            unlist(object, before);
        } else if (!isUnassigned(before) || tierOf(before) != tier) {
            unlist(object, before);
            partitions[tier].unassigned().add(object);
        }
    }

    void forget(long object) {
        long before = entries.remove(object);
        count(before, -1);
        unlist(object, before);
    }

    private void count(long entry, int sign) {
        if (entry != ABSENT && tierOf(entry) < partitions.length) {
            partitions[tierOf(entry)].count(poolOf(entry), sign * sizeOf(entry));
        }
    }

    private boolean isUnassigned(long entry) {
        return entry != ABSENT
                && poolOf(entry) == unknownPool
                && (entry & PENDING) == 0
                && tierOf(entry) < partitions.length;
    }

    private void unlist(long object, long before) {
        if (isUnassigned(before)) {
            partitions[tierOf(before)].unassigned().remove(object);
        }
    }

    private static int poolOf(long entry) {
        return (int) (entry & POOL_MASK);
    }

    private static int tierOf(long entry) {
        return (int) (entry >> TIER_SHIFT & TIER_MASK);
    }

    private static long sizeOf(long entry) {
        return entry >> SIZE_SHIFT;
    }

    long sizeBytes(long object) {
        return sizeOf(entries.get(object));
    }

    long memoryBytes() {
        return 16L * 2 * Long.highestOneBit(Math.max(16, entries.size() * 4L / 3));
    }
}
