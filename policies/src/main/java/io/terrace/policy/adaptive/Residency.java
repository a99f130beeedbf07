package io.terrace.policy.adaptive;

import io.terrace.policy.shelf.Shelf;
import java.util.Arrays;

/**
 * A set of tracked objects that fits a capacity, real or imagined. Membership is a bit in the object's record; the list
 * of members is only drawn from, so an entry may outlive its membership and is swept when it is drawn.
 *
 * <p>Who leaves is found by sampling: a few members are drawn at random and join a small pool of the least worthy drawn
 * so far; the least of the pool goes. With {@value #DRAWS} draws per victim and a pool of {@value #POOL} this is close
 * to drawing many more. Up to {@value #ALL} members are all looked at. The sequence of draws is fixed by the seed.
 */
final class Residency {

    private static final int DRAWS = 8;
    private static final int POOL = 16;
    private static final int ALL = 256;
    private static final int BATCH = 512;

    private final int bit;
    private final Records records;
    private final Ranking ranking;

    private long capacityBytes;
    private long usedBytes;
    private int members;
    private int[] list = new int[64];
    private int listed;
    private final int[] pool = new int[POOL];
    private int pooled;
    private final int[] batch = new int[BATCH];
    private final double[] batchWorths = new double[BATCH];
    private int batched;
    private int[] victims = new int[16];
    private long seed;
    /** While victims are tried out they are no members, but stay listed. */
    private boolean trying;

    Residency(int bit, Records records, Ranking ranking, long capacityBytes) {
        this.bit = bit;
        this.records = records;
        this.ranking = ranking;
        this.capacityBytes = capacityBytes;
        seed = Hash.of(bit);
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

    /** Lets the object in if it is worth more than each one that must leave for it; whether it was let in. */
    boolean offer(int slot, Rule rule, long nowMs, Shelf.Evictions evictions) {
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
        while (room < needed) {
            // Whoever needs the room of several is judged against a batch: one poor draw would turn a large object
            // away.
            int victim = found == 0 ? least(rule, nowMs) : nextOfBatch(found == 1, rule, nowMs);
            if (victim == Records.NONE) {
                break;
            }
            if (ranking.worth(rule, victim, nowMs) >= bid) {
                break;
            }
            room += records.sizeBytes(victim);
            records.leave(victim, bit);
            members--;
            trying = true;
            if (found == victims.length) {
                victims = Arrays.copyOf(victims, found * 2);
            }
            victims[found++] = victim;
        }
        trying = false;
        if (room < needed) {
            for (int i = 0; i < found; i++) {
                records.enter(victims[i], bit);
                members++;
                if (pooled < POOL && !inPool(victims[i])) {
                    pool[pooled++] = victims[i];
                }
            }
            return false;
        }
        for (int i = 0; i < found; i++) {
            usedBytes -= records.sizeBytes(victims[i]);
            evictions.evicted(records.id(victims[i]), records.sizeBytes(victims[i]));
        }
        enter(slot);
        return true;
    }

    /** Puts the object in, whatever the capacity says. */
    void enter(int slot) {
        records.enter(slot, bit);
        usedBytes += records.sizeBytes(slot);
        members++;
        list(slot);
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

    void capacity(long bytes) {
        capacityBytes = bytes;
    }

    /** The least worthy of the pool, or of the list's last entries when the pool is empty; changes nothing. */
    int candidate(Rule rule, long nowMs) {
        int best = Records.NONE;
        double bestWorth = 0;
        for (int i = 0; i < pooled + Math.min(listed, ALL); i++) {
            int slot = i < pooled ? pool[i] : list[listed - 1 - (i - pooled)];
            if (has(slot) && (best == Records.NONE || ranking.worth(rule, slot, nowMs) < bestWorth)) {
                best = slot;
                bestWorth = ranking.worth(rule, slot, nowMs);
            }
        }
        return best;
    }

    /** Evicts the least worthy until the capacity is kept. */
    void shrink(Rule rule, long nowMs, Shelf.Evictions evictions) {
        while (usedBytes > capacityBytes) {
            int victim = least(rule, nowMs);
            if (victim == Records.NONE) {
                throw new IllegalStateException(usedBytes + " bytes used with no member");
            }
            leave(victim);
            evictions.evicted(records.id(victim), records.sizeBytes(victim));
        }
    }

    /** Takes out every member whose hash has one of the mask's bits set. */
    void thin(long mask) {
        for (int i = 0; i < listed; i++) {
            int slot = list[i];
            if (has(slot) && (Hash.of(records.id(slot)) & mask) != 0) {
                leave(slot);
            }
        }
    }

    /** The least worthy of those drawn; it stays a member. */
    private int least(Rule rule, long nowMs) {
        if (members == 0) {
            return Records.NONE;
        }
        int best = Records.NONE;
        double bestWorth = 0;
        if (members <= ALL) {
            for (int i = listed - 1; i >= 0; i--) {
                int slot = list[i];
                if (!has(slot)) {
                    if (!trying) {
                        unlist(i);
                    }
                } else {
                    double worth = ranking.worth(rule, slot, nowMs);
                    if (best == Records.NONE || worth < bestWorth) {
                        best = slot;
                        bestWorth = worth;
                    }
                }
            }
            return best;
        }
        int kept = 0;
        double mostWorth = Double.NEGATIVE_INFINITY;
        int mostPlace = 0;
        for (int i = 0; i < pooled; i++) {
            int slot = pool[i];
            if (!has(slot)) {
                continue;
            }
            double worth = ranking.worth(rule, slot, nowMs);
            pool[kept] = slot;
            if (best == Records.NONE || worth < bestWorth) {
                best = slot;
                bestWorth = worth;
            }
            if (worth > mostWorth) {
                mostWorth = worth;
                mostPlace = kept;
            }
            kept++;
        }
        pooled = kept;
        for (int draw = 0; draw < DRAWS; draw++) {
            int slot = draw();
            if (inPool(slot)) {
                continue;
            }
            double worth = ranking.worth(rule, slot, nowMs);
            int place;
            if (pooled < POOL) {
                place = pooled++;
            } else if (worth < mostWorth) {
                place = mostPlace;
                mostWorth = Double.NEGATIVE_INFINITY;
            } else {
                continue;
            }
            pool[place] = slot;
            if (best == Records.NONE || worth < bestWorth) {
                best = slot;
                bestWorth = worth;
            }
        }
        if (best == Records.NONE) {
            return draw();
        }
        return best;
    }

    /** Next least worthy of a batch of members, drawn anew when the last one is used up. */
    private int nextOfBatch(boolean anew, Rule rule, long nowMs) {
        if (anew) {
            batched = 0;
        }
        while (true) {
            if (batched == 0) {
                if (members == 0) {
                    return Records.NONE;
                }
                fillBatch(rule, nowMs);
            }
            int slot = batch[0];
            int last = --batched;
            sink(0, batch[last], batchWorths[last]);
            if (has(slot)) {
                return slot;
            }
        }
    }

    private void fillBatch(Rule rule, long nowMs) {
        if (members <= BATCH) {
            for (int i = listed - 1; i >= 0 && batched < BATCH; i--) {
                if (has(list[i])) {
                    batch[batched] = list[i];
                    batchWorths[batched++] = ranking.worth(rule, list[i], nowMs);
                }
            }
        } else {
            while (batched < BATCH) {
                int slot = draw();
                batch[batched] = slot;
                batchWorths[batched++] = ranking.worth(rule, slot, nowMs);
            }
        }
        for (int i = batched / 2 - 1; i >= 0; i--) {
            sink(i, batch[i], batchWorths[i]);
        }
    }

    /** Puts an entry where it belongs in the heap below a place, least on top. */
    private void sink(int from, int slot, double worth) {
        int place = from;
        for (int child = 2 * place + 1; child < batched; child = 2 * place + 1) {
            if (child + 1 < batched && batchWorths[child + 1] < batchWorths[child]) {
                child++;
            }
            if (worth <= batchWorths[child]) {
                break;
            }
            batch[place] = batch[child];
            batchWorths[place] = batchWorths[child];
            place = child;
        }
        batch[place] = slot;
        batchWorths[place] = worth;
    }

    private boolean inPool(int slot) {
        for (int i = 0; i < pooled; i++) {
            if (pool[i] == slot) {
                return true;
            }
        }
        return false;
    }

    /** A random member; there is at least one, and every member is listed. */
    private int draw() {
        while (true) {
            seed ^= seed << 13;
            seed ^= seed >>> 7;
            seed ^= seed << 17;
            int place = (int) (((seed >>> 32) * listed) >>> 32);
            int slot = list[place];
            if (has(slot)) {
                return slot;
            }
            if (!trying) {
                unlist(place);
            }
        }
    }

    private void list(int slot) {
        if (records.listed(slot, bit)) {
            return;
        }
        if (listed == list.length) {
            list = Arrays.copyOf(list, listed + (listed >> 2));
        }
        records.list(slot, bit);
        list[listed++] = slot;
    }

    /** Takes the entry at a place off the list. */
    private void unlist(int place) {
        records.unlist(list[place], bit);
        list[place] = list[--listed];
    }

    long memoryBytes() {
        return 4L * (list.length + pool.length + victims.length) + 12L * BATCH;
    }
}
