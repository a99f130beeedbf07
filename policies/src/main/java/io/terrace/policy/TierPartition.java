package io.terrace.policy;

import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;
import java.util.List;

/**
 * One tier, divided among pools: what of it each pool owns, may take and uses, and the room that its policy was given.
 * Pools are numbers from 0; the number after the last stands for objects whose pool is not known.
 */
final class TierPartition {

    /** A room that would grow by less than such a part of the tier stays as it is. */
    private static final int LEAST_CHANGE = 64;

    private final String tier;
    private final List<PoolShare> shares;
    private final long[] roomBytes;
    private final long[] usedBytes;
    private final LongLinkedOpenHashSet unassigned = new LongLinkedOpenHashSet();
    private long capacityBytes;
    private long totalBytes;

    /**
     * @param tier its name
     * @param shares of the pools, the first one's being what the others leave
     */
    TierPartition(String tier, long capacityBytes, List<PoolShare> shares) {
        double sum = shares.stream().mapToDouble(PoolShare::share).sum();
        if (sum > 1 + 1e-9) {
            throw new IllegalArgumentException(
                    "the pools' shares of " + tier + " add up to " + sum + ", which is over 1");
        }
        this.tier = tier;
        this.capacityBytes = capacityBytes;
        this.shares = List.copyOf(shares);
        roomBytes = new long[shares.size()];
        usedBytes = new long[shares.size() + 1];
    }

    PoolShare share(int pool) {
        return shares.get(pool);
    }

    private long ownBytes(int pool) {
        return (long) (shares.get(pool).share() * capacityBytes);
    }

    private long mostBytes(int pool) {
        return Math.max(ownBytes(pool), (long) (shares.get(pool).most() * capacityBytes));
    }

    PoolUsage usage(int pool) {
        return new PoolUsage(tier, shares.get(pool).name(), ownBytes(pool), mostBytes(pool), usedBytes[pool]);
    }

    /** What a pool could take now: its own share, or what others leave. */
    long offer(int pool) {
        long taken = 0;
        for (int other = 0; other < roomBytes.length; other++) {
            if (other != pool) {
                long used = usedBytes[other];
                taken += shares.get(other).lends() ? used : Math.max(used, ownBytes(other));
            }
        }
        return Math.min(mostBytes(pool), Math.max(ownBytes(pool), capacityBytes - taken));
    }

    /**
     * Whether an offer differs so much from the room that the pool's policy has that it is worth a change. A pool gets all of its
     * own share, also where that is small.
     */
    boolean differsEnough(int pool, long offered) {
        long room = roomBytes[pool];
        return offered < room
                || room < Math.min(offered, ownBytes(pool))
                || offered - room > capacityBytes / LEAST_CHANGE;
    }

    void room(int pool, long bytes) {
        roomBytes[pool] = bytes;
    }

    long roomBytes(int pool) {
        return roomBytes[pool];
    }

    void capacity(long bytes) {
        capacityBytes = bytes;
    }

    boolean isOverbooked() {
        return totalBytes > capacityBytes;
    }

    /** The pool that uses most beyond its own share; -1 when none uses more than that. */
    int largestBorrower() {
        int borrower = -1;
        long most = 0;
        for (int pool = 0; pool < roomBytes.length; pool++) {
            long beyond = usedBytes[pool] - ownBytes(pool);
            if (beyond > most) {
                most = beyond;
                borrower = pool;
            }
        }
        return borrower;
    }

    /** The room that makes a borrower return what is overbooked, as far as that is not its own. */
    long roomAfterReturn(int borrower) {
        return Math.max(ownBytes(borrower), usedBytes[borrower] - (totalBytes - capacityBytes));
    }

    /** An object's bytes come into the tier, or leave it where they are negative. */
    void count(int pool, long bytes) {
        usedBytes[pool] += bytes;
        totalBytes += bytes;
    }

    long usedBytes(int pool) {
        return usedBytes[pool];
    }

    long totalBytes() {
        return totalBytes;
    }

    /** Objects in the tier whose pool is not known, in the order in which they came. */
    LongLinkedOpenHashSet unassigned() {
        return unassigned;
    }

    long memoryBytes() {
        return 24L * 2 * Long.highestOneBit(Math.max(16, unassigned.size() * 4L / 3));
    }
}
