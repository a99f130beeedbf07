package io.terrace.policy.adaptive;

import io.terrace.policy.cache.CachePolicy;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A set of tracked objects that fits a capacity, real or imagined. Membership is a bit in the object's record; the list
 * of members is only gone through and drawn from, so an entry may outlive its membership and is swept when it is met.
 *
 * <p>Who leaves is found in a heap of the members by what they are worth, all of them up to {@value #MOST_IN_HEAP},
 * else so many drawn at random. Worth grows when an object is read, which is found out when it comes to the top, so the
 * heap of a rule whose worths do not fall is exact. Where they fall by themselves the heap grows stale with time; it is
 * rebuilt, once for a time, when that costs no more looks at members than {@value #PER_OFFER} for each object that asked to be let in and {@value
 * #PER_VICTIM} for each that left ({@value #PER_VICTIM_OF_MANY} where only some were drawn). With a few members drawn
 * for each victim instead, FB-2010 lost up to 0.018 of its hits, since sizes differ by orders of magnitude there. The
 * sequence of draws is fixed by the seed.
 */
final class CacheContents {

    private static final int MOST_IN_HEAP = 1 << 15;
    /** Where worths change by themselves, all of them a little, no more than so many are brought up to date for a victim. */
    private static final int MOST_LOOKS = 8;

    private static final int PER_OFFER = 32;
    private static final int PER_VICTIM = 64;
    private static final int PER_VICTIM_OF_MANY = 16;

    private final int bit;
    private final ObjectRecords records;
    private final ObjectRanking ranking;

    private long capacityBytes;
    private long usedBytes;
    private int members;
    private int[] list = new int[64];
    private int listed;
    private final LazyHeap heap = new LazyHeap(MOST_IN_HEAP);
    /** Rule by which the heap is ordered; null before there is one. */
    private @Nullable RankingRule ordered;

    /** When the heap was filled. */
    private long filledMs;

    private double leastWorth;
    private long credit;
    private int[] victims = new int[16];
    private double[] victimKeys = new double[16];
    private long seed;

    CacheContents(int bit, ObjectRecords records, ObjectRanking ranking, long capacityBytes) {
        this.bit = bit;
        this.records = records;
        this.ranking = ranking;
        this.capacityBytes = capacityBytes;
        seed = HashCommon.murmurHash3((long) bit);
    }

    boolean has(int slot) {
        return records.resident(slot, bit);
    }

    long usedBytes() {
        return usedBytes;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    /** Lets the object in if it leads each one that must leave for it, by what the rule asks; whether it was let in. */
    boolean offer(int slot, RankingRule rule, long nowMs, CachePolicy.Evictions evictions) {
        long needed = records.sizeBytes(slot);
        if (needed > capacityBytes) {
            return false;
        }
        double bid = ranking.bid(rule, slot, nowMs);
        if (bid == Double.NEGATIVE_INFINITY) {
            return false;
        }
        long room = capacityBytes - usedBytes;
        int found = 0;
        if (room < needed) {
            credit += members > MOST_IN_HEAP ? 0 : PER_OFFER;
            refreshHeap(rule, nowMs);
        }
        while (room < needed && members > found) {
            int victim = least(rule, nowMs);
            if (leastWorth + ranking.lead(rule, victim, nowMs) >= bid) {
                break;
            }
            if (found == victims.length) {
                victims = Arrays.copyOf(victims, found * 2);
                victimKeys = Arrays.copyOf(victimKeys, found * 2);
            }
            victims[found] = victim;
            victimKeys[found++] = leastWorth;
            heap.dropLeast();
            room += records.sizeBytes(victim);
            // While this is undecided it is no member, so it is not found twice.
            records.leave(victim, bit);
        }
        if (room < needed) {
            for (int i = 0; i < found; i++) {
                records.enter(victims[i], bit);
                heap.push(victims[i], victimKeys[i]);
            }
            return false;
        }
        for (int i = 0; i < found; i++) {
            usedBytes -= records.sizeBytes(victims[i]);
            evictions.evicted(records.id(victims[i]), records.sizeBytes(victims[i]));
        }
        members -= found;
        credit += (long) found * perVictim();
        enter(slot);
        if (ordered == rule) {
            heap.push(slot, ranking.worth(rule, slot, nowMs));
        }
        return true;
    }

    /** Puts the object in, whatever the capacity says. */
    void enter(int slot) {
        records.enter(slot, bit);
        usedBytes += records.sizeBytes(slot);
        members++;
        list(slot);
    }

    /** As {@link #enter}, of an object that was not offered. */
    void adopt(int slot, long nowMs) {
        enter(slot);
        if (ordered != null) {
            heap.push(slot, ranking.worth(ordered, slot, nowMs));
        }
    }

    /** Takes the object out if it is in. */
    void leave(int slot) {
        if (has(slot)) {
            records.leave(slot, bit);
            usedBytes -= records.sizeBytes(slot);
            members--;
        }
    }

    /** A member's size is about to change. */
    void grow(int slot, long bytes) {
        if (has(slot)) {
            usedBytes += bytes;
        }
    }

    /** An object has another size, by which it may be worth less than its place in the heap says. */
    void resized(int slot, RankingRule rule, long nowMs) {
        if (has(slot) && ordered == rule) {
            heap.push(slot, ranking.worth(rule, slot, nowMs));
        }
    }

    void capacity(long bytes) {
        capacityBytes = bytes;
    }

    /**
     * The member that would leave next, as far as the heap knows; where it knows nothing, the least worthy of the members
     * last listed. Changes nothing that shows.
     */
    int candidate(RankingRule rule, long nowMs) {
        int next = ordered == rule ? topOfHeap() : ObjectRecords.NONE;
        return next == ObjectRecords.NONE ? leastListed(rule, nowMs) : next;
    }

    /** As {@link #candidate}, but {@link ObjectRecords#NONE} where the heap knows nothing. */
    int nextToLeave() {
        return ordered == null ? ObjectRecords.NONE : topOfHeap();
    }

    private int topOfHeap() {
        while (heap.count() > 0 && !has(heap.least())) {
            heap.dropLeast();
        }
        return heap.count() == 0 ? ObjectRecords.NONE : heap.least();
    }

    private int leastListed(RankingRule rule, long nowMs) {
        int best = ObjectRecords.NONE;
        double bestWorth = 0;
        for (int i = listed - 1; i >= Math.max(0, listed - MOST_IN_HEAP); i--) {
            int slot = list[i];
            if (has(slot)) {
                double worth = ranking.worth(rule, slot, nowMs);
                if (best == ObjectRecords.NONE || worth < bestWorth) {
                    best = slot;
                    bestWorth = worth;
                }
            }
        }
        return best;
    }

    /** Evicts the least worthy until the capacity is kept. */
    void shrink(RankingRule rule, long nowMs, CachePolicy.Evictions evictions) {
        while (usedBytes > capacityBytes) {
            if (members == 0) {
                throw new IllegalStateException(usedBytes + " bytes used with no member");
            }
            credit += perVictim();
            refreshHeap(rule, nowMs);
            int victim = least(rule, nowMs);
            heap.dropLeast();
            leave(victim);
            evictions.evicted(records.id(victim), records.sizeBytes(victim));
        }
    }

    /**
     * Takes out every member whose hash has one of the mask's bits set.
     *
     * @param most members there can be from now on; room for them is made, so that none is needed later
     */
    void thin(long mask, int most) {
        list = Arrays.copyOf(list, Math.max(list.length, most));
        heap.makeRoom();
        for (int i = 0; i < listed; i++) {
            int slot = list[i];
            if (has(slot) && (HashCommon.murmurHash3(records.id(slot)) & mask) != 0) {
                leave(slot);
            }
        }
    }

    /** The least worthy member, put on top of the heap; there is one that is not being tried out. */
    private int least(RankingRule rule, long nowMs) {
        int looks = 0;
        while (true) {
            if (heap.count() == 0) {
                fillHeap(rule, nowMs);
            }
            int slot = heap.least();
            if (!has(slot)) {
                heap.dropLeast();
                continue;
            }
            leastWorth = ranking.worth(rule, slot, nowMs);
            if (rule.fades() && ++looks > MOST_LOOKS) {
                return slot;
            }
            heap.rekeyLeast(leastWorth);
            if (heap.least() == slot) {
                return slot;
            }
        }
    }

    private int perVictim() {
        return members > MOST_IN_HEAP ? PER_VICTIM_OF_MANY : PER_VICTIM;
    }

    private void refreshHeap(RankingRule rule, long nowMs) {
        boolean faded = rule.fades() && nowMs != filledMs;
        boolean stale = faded || members > MOST_IN_HEAP || heap.isFull();
        // Entries of members that left by themselves stay; most of it must not be such.
        boolean full = heap.count() > 64 + 4 * members;
        if (ordered != rule || full || (stale && credit >= Math.min(members, MOST_IN_HEAP))) {
            fillHeap(rule, nowMs);
        }
    }

    private void fillHeap(RankingRule rule, long nowMs) {
        heap.clear();
        if (members <= MOST_IN_HEAP) {
            for (int place = listed - 1; place >= 0; place--) {
                int slot = list[place];
                if (has(slot)) {
                    heap.append(slot, ranking.worth(rule, slot, nowMs));
                }
            }
        } else {
            while (!heap.isFull()) {
                int slot = draw();
                heap.append(slot, ranking.worth(rule, slot, nowMs));
            }
        }
        heap.order();
        ordered = rule;
        filledMs = nowMs;
        credit = 0;
    }

    /** A random member; there is at least one, and every member is listed. */
    private int draw() {
        while (true) {
            seed ^= seed << 13;
            seed ^= seed >>> 7;
            seed ^= seed << 17;
            int slot = list[(int) (((seed >>> 32) * listed) >>> 32)];
            if (has(slot)) {
                return slot;
            }
        }
    }

    private void list(int slot) {
        if (records.listed(slot, bit)) {
            return;
        }
        if (listed == list.length) {
            makeRoomInList();
        }
        records.list(slot, bit);
        list[listed++] = slot;
    }

    /** Sweeps entries that have outlived their membership; only where these are few does the list grow. */
    private void makeRoomInList() {
        if (members >= listed - (listed >> 3)) {
            list = Arrays.copyOf(list, listed + (listed >> 3));
            return;
        }
        int kept = 0;
        for (int place = 0; place < listed; place++) {
            int slot = list[place];
            if (has(slot)) {
                list[kept++] = slot;
            } else {
                records.unlist(slot, bit);
            }
        }
        listed = kept;
    }

    long memoryBytes() {
        return 4L * list.length + 12L * victims.length + heap.memoryBytes();
    }
}
