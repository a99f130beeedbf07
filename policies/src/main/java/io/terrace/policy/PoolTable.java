package io.terrace.policy;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * Which pool each object belongs to and which tier it is booked in: an entry for every object above the base tier and for
 * every object whose latest request is not answered yet. Counts the bytes in the tiers' {@link TierPartition}s.
 */
final class PoolTable {

    static final int ABSENT = -1;

    private final Long2LongOpenHashMap entries = new Long2LongOpenHashMap();
    private final TierPartition[] partitions;
    private final int unknownPool;

    /** @param partitions of the tiers above the base */
    PoolTable(int pools, TierPartition[] partitions) {
        this.partitions = partitions;
        unknownPool = pools;
        entries.defaultReturnValue(PlaceEntry.ABSENT);
    }

    /** The object's pool, the number of pools where that is not known, {@link #ABSENT} without an entry. */
    int pool(long object) {
        long entry = entries.get(object);
        return entry == PlaceEntry.ABSENT ? ABSENT : PlaceEntry.pool(entry);
    }

    /** The tier that the object is booked in. */
    int tier(long object) {
        long entry = entries.get(object);
        return entry == PlaceEntry.ABSENT ? partitions.length : PlaceEntry.tier(entry);
    }

    boolean isPending(long object) {
        return PlaceEntry.isPending(entries.get(object));
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
        put(object, sizeBytes, pool, tier, PlaceEntry.PENDING);
    }

    /** An object above the base has another size. */
    void resize(long object, long sizeBytes) {
        long entry = entries.get(object);
        if (isAboveTheBase(entry) && PlaceEntry.sizeBytes(entry) != sizeBytes) {
            put(object, sizeBytes, PlaceEntry.pool(entry), PlaceEntry.tier(entry), PlaceEntry.flags(entry));
        }
    }

    /** An object listed as unassigned in a tier keeps its place there for as long as it stays so. */
    private void put(long object, long sizeBytes, int pool, int tier, long flags) {
        long entry = PlaceEntry.of(sizeBytes, tier, pool, flags);
        long before = entries.put(object, entry);
        count(before, -1);
        count(entry, 1);
        if (!isUnassigned(entry)) {
            unlist(object, before);
        } else if (!isUnassigned(before) || PlaceEntry.tier(before) != tier) {
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
        if (isAboveTheBase(entry)) {
            partitions[PlaceEntry.tier(entry)].count(PlaceEntry.pool(entry), sign * PlaceEntry.sizeBytes(entry));
        }
    }

    private boolean isUnassigned(long entry) {
        return isAboveTheBase(entry) && PlaceEntry.pool(entry) == unknownPool && !PlaceEntry.isPending(entry);
    }

    private boolean isAboveTheBase(long entry) {
        return entry != PlaceEntry.ABSENT && PlaceEntry.tier(entry) < partitions.length;
    }

    private void unlist(long object, long before) {
        if (isUnassigned(before)) {
            partitions[PlaceEntry.tier(before)].unassigned().remove(object);
        }
    }

    long sizeBytes(long object) {
        return PlaceEntry.sizeBytes(entries.get(object));
    }

    long memoryBytes() {
        return 16L * 2 * Long.highestOneBit(Math.max(16, entries.size() * 4L / 3));
    }
}
