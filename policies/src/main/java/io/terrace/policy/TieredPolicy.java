package io.terrace.policy;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.cache.CachePolicy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A policy made of one {@link CachePolicy} per boundary between tiers.
 *
 * <p>Cache <i>k</i> says what deserves tier <i>k</i> or better. Where tiers hold copies ({@link
 * io.terrace.policy.api.TierSpec#copies}), its capacity is that of tier <i>k</i> and an object is in the fastest tier whose
 * cache holds it. Where objects move instead, its capacity also counts the moving tiers above, and an object climbs into
 * tier <i>k</i> only if the next cache down holds it too, so no tier is ever booked over its capacity; what exceeds it
 * all the same, because a faster tier was left empty, goes one tier down.
 */
public final class TieredPolicy implements PlacementPolicy, CachePolicy.Evictions {

    private final String name;
    private final CachePolicy[] caches;
    private final boolean[] copies;
    private final long[] capacities;
    private final int base;
    private final boolean allocateOnWrite;
    private final PlacementTable placementTable;

    /** Objects that left a cache and may have to be moved. */
    private long[] evicted = new long[16];

    private long[] evictedBytes = new long[16];
    private int evictedCount;

    public TieredPolicy(String name, TierHierarchy hierarchy, CachePolicy.Maker maker, boolean allocateOnWrite) {
        this(name, hierarchy, fill(hierarchy.base(), maker), allocateOnWrite);
    }

    /** As above with a maker of its own for each boundary, fastest first. */
    public TieredPolicy(String name, TierHierarchy hierarchy, CachePolicy.Maker[] makers, boolean allocateOnWrite) {
        this.name = name;
        this.allocateOnWrite = allocateOnWrite;
        base = hierarchy.base();
        placementTable = new PlacementTable(hierarchy.size());
        caches = new CachePolicy[base];
        copies = new boolean[base];
        capacities = new long[base];
        for (int k = 0; k < base; k++) {
            copies[k] = hierarchy.tier(k).copies();
            capacities[k] = hierarchy.tier(k).capacityBytes();
        }
        for (int k = 0; k < base; k++) {
            caches[k] = makers[k].make(cacheCapacity(k));
        }
    }

    private static CachePolicy.Maker[] fill(int count, CachePolicy.Maker maker) {
        CachePolicy.Maker[] makers = new CachePolicy.Maker[count];
        Arrays.fill(makers, maker);
        return makers;
    }

    private long cacheCapacity(int k) {
        long sum = capacities[k];
        if (!copies[k]) {
            for (int j = k - 1; j >= 0 && !copies[j]; j--) {
                sum += capacities[j];
            }
        }
        return sum;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        long object = access.object();
        long bookedBytes = placementTable.sizeBytes(object);
        if (bookedBytes >= 0 && bookedBytes != access.sizeBytes()) {
            resized(object, access.sizeBytes());
        }
        if (access.isWrite() && !allocateOnWrite) {
            placeEvicted(moveRequests);
            return;
        }
        if (access.tier() < base && !placementTable.knows(object)) {
            adopt(access.nowMs(), object, access.sizeBytes(), access.tier());
        }
        for (int k = base - 1; k >= 0; k--) {
            caches[k].access(access, this);
        }
        placeEvicted(moveRequests);
        place(object, access.sizeBytes(), moveRequests);
    }

    private void resized(long object, long sizeBytes) {
        placementTable.resize(object, sizeBytes);
        for (CachePolicy cachePolicy : caches) {
            cachePolicy.resized(object, sizeBytes, this);
        }
    }

    private void adopt(long nowMs, long object, long sizeBytes, int tier) {
        if (tier >= base) {
            return;
        }
        placementTable.confirm(object, sizeBytes, tier);
        int k = tier;
        do {
            caches[k].adopt(nowMs, object, sizeBytes, this);
        } while (!copies[k] && ++k < base);
    }

    @Override
    public void evicted(long object, long sizeBytes) {
        if (evictedCount == evicted.length) {
            evicted = Arrays.copyOf(evicted, evictedCount * 2);
            evictedBytes = Arrays.copyOf(evictedBytes, evictedCount * 2);
        }
        evicted[evictedCount] = object;
        evictedBytes[evictedCount++] = sizeBytes;
    }

    private void placeEvicted(MoveRequests moveRequests) {
        for (int i = 0; i < evictedCount; i++) {
            long bookedBytes = placementTable.sizeBytes(evicted[i]);
            place(evicted[i], bookedBytes < 0 ? evictedBytes[i] : bookedBytes, moveRequests);
        }
        evictedCount = 0;
    }

    /** Requests a move if the caches want the object in another tier than the one it is booked in. */
    private void place(long object, long sizeBytes, MoveRequests moveRequests) {
        int wanted = wantedTier(object);
        int booked = placementTable.tier(object);
        while (wanted < base
                && wanted != booked
                && !copies[wanted]
                && placementTable.bookedBytes(wanted) + sizeBytes > capacities[wanted]) {
            wanted++;
        }
        if (wanted != booked) {
            placementTable.request(object, sizeBytes, wanted);
            moveRequests.place(object, sizeBytes, booked, wanted);
        }
    }

    private int wantedTier(long object) {
        int wanted = base;
        boolean below = true;
        for (int k = base - 1; k >= 0; k--) {
            below = caches[k].holds(object) && (copies[k] || below);
            if (below) {
                wanted = k;
            }
        }
        return wanted;
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        int booked = placementTable.tier(object);
        if (placementTable.pending(object)) {
            if (tier == booked) {
                if (placementTable.climbing(object)) {
                    caches[tier].arrived(nowMs, object);
                }
                placementTable.confirm(object, sizeBytes, tier);
            }
            return;
        }
        correct(nowMs, object, sizeBytes, tier);
        placeEvicted(moveRequests);
    }

    /**
     * What leaves a cache for an object that did not leave its tier is moved with the next access, or the next tick if its tier is too
     * full: its move might fail at once too.
     */
    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        correct(nowMs, object, sizeBytes, tier);
    }

    private void correct(long nowMs, long object, long sizeBytes, int tier) {
        for (int k = 0; k < Math.min(tier, base); k++) {
            caches[k].drop(object);
        }
        placementTable.confirm(object, sizeBytes, Math.min(tier, base));
        adopt(nowMs, object, sizeBytes, tier);
    }

    @Override
    public void vanished(long nowMs, long object) {
        for (CachePolicy cachePolicy : caches) {
            cachePolicy.forget(object);
        }
        placementTable.forget(object);
    }

    @Override
    public void tick(long nowMs, MoveRequests moveRequests) {
        // Caches decide only on accesses. But where nothing is read any more, what no longer fits must leave too.
        for (int tier = 0; tier < base; tier++) {
            if (placementTable.bookedBytes(tier) > capacities[tier]) {
                placeEvicted(moveRequests);
                return;
            }
        }
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, MoveRequests moveRequests) {
        if (tier < 0 || tier >= base) {
            throw new IllegalArgumentException("tier " + tier + " cannot be resized; only 0.." + (base - 1) + " can");
        }
        if (capacityBytes < 0) {
            throw new IllegalArgumentException("capacity " + capacityBytes + " of tier " + tier + " is negative");
        }
        capacities[tier] = capacityBytes;
        for (int k = base - 1; k >= tier; k--) {
            caches[k].resize(cacheCapacity(k), this);
        }
        placeEvicted(moveRequests);
    }

    @Override
    public long freeBytes(int tier, int pool) {
        return Math.max(0, capacities[tier] - placementTable.bookedBytes(tier));
    }

    @Override
    public long nextToLeave(int tier, int pool) {
        return caches[tier].nextToLeave();
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        int tier = placementTable.tier(object);
        // The boundary that decides: the one below the object's tier if it is above one, else the first above it.
        Explanation answer = tier < base ? caches[tier].explain(nowMs, object, tier) : null;
        for (int k = base - 1; k >= 0 && answer == null; k--) {
            answer = caches[k].explain(nowMs, object, tier);
        }
        return answer;
    }

    @Override
    public long trackedObjects() {
        long most = 0;
        for (CachePolicy cachePolicy : caches) {
            most = Math.max(most, cachePolicy.trackedObjects());
        }
        return most;
    }

    @Override
    public long memoryBytes() {
        long sum = placementTable.memoryBytes();
        for (CachePolicy cachePolicy : caches) {
            sum += cachePolicy.memoryBytes();
        }
        return sum;
    }
}
