package io.terrace.policy.shelf;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import org.jspecify.annotations.Nullable;

/**
 * IDecider after Rudani and Campbell: an object read more often than a threshold is admitted; the resident of the
 * greatest age leaves for it; an object that beats no victim stays where it is. Age is the time since an object was
 * first seen, so a candidate beats a resident that is older than itself.
 *
 * <p>Counts of objects that are not on the shelf are kept for the {@code remembered} most recently read ones.
 */
public final class IDeciderShelf implements Shelf {

    private static final int NONE = ObjectTable.NONE;

    private final ObjectTable table = new ObjectTable();
    /** Residents, the one seen first on top. */
    private final SlotHeap byAge = new SlotHeap();
    /** Objects that are counted but not here, most recently read at the head. */
    private final Chain outside = new Chain();

    private final int threshold;
    private final int remembered;
    private long[] firstSeenMs = {};
    private int[] trial = new int[16];
    private long[] trialTurns = new long[16];
    private int[] counts = {};
    private long capacityBytes;
    private long usedBytes;
    private long latestMs = Long.MIN_VALUE;

    /**
     * @param threshold reads an object must exceed, at least 0
     * @param remembered objects outside that are counted, at least 1
     */
    public IDeciderShelf(long capacityBytes, int threshold, int remembered) {
        this.capacityBytes = capacityBytes;
        this.threshold = threshold;
        this.remembered = remembered;
    }

    @Override
    public void access(Access access, Evictions evictions) {
        long nowMs = forward(access.nowMs());
        int slot = table.find(access.object());
        if (slot == NONE) {
            slot = remember(nowMs, access.object(), access.sizeBytes());
        }
        counts[slot] = (int) Math.min(Integer.MAX_VALUE, (long) counts[slot] + access.burst());
        if (byAge.contains(slot)) {
            return;
        }
        table.resize(slot, access.sizeBytes());
        outside.moveToHead(slot);
        if (counts[slot] > threshold && beatsVictims(slot)) {
            outside.remove(slot, 0);
            settle(slot, evictions);
        }
    }

    /** Whether room can be made by residents that were all seen before the candidate. */
    private boolean beatsVictims(int slot) {
        long needed = table.size(slot);
        if (needed > capacityBytes) {
            return false;
        }
        long room = capacityBytes - usedBytes;
        if (room >= needed) {
            return true;
        }
        // The victims are the oldest ones; they leave one by one, so the youngest of them must be older than this one.
        // Popping and putting back is at most twice the work of the eviction itself.
        int popped = 0;
        boolean beats = true;
        while (room < needed && beats) {
            int victim = byAge.least();
            beats = firstSeenMs[victim] < firstSeenMs[slot];
            if (beats) {
                room += table.size(victim);
                if (popped == trial.length) {
                    trial = ObjectTable.grown(trial, popped * 2);
                    trialTurns = ObjectTable.grown(trialTurns, popped * 2);
                }
                trialTurns[popped] = byAge.turn(victim);
                trial[popped++] = victim;
                byAge.remove(victim);
            }
        }
        while (popped > 0) {
            int victim = trial[--popped];
            byAge.restore(victim, firstSeenMs[victim], trialTurns[popped]);
        }
        return beats;
    }

    private void settle(int slot, Evictions evictions) {
        usedBytes += table.size(slot);
        shrink(evictions);
        byAge.put(slot, firstSeenMs[slot]);
    }

    private void shrink(Evictions evictions) {
        while (usedBytes > capacityBytes && byAge.count() > 0) {
            int victim = byAge.least();
            byAge.remove(victim);
            usedBytes -= table.size(victim);
            outside.pushHead(victim, 0);
            evictions.evicted(table.id(victim), table.size(victim));
        }
        forgetOldest();
    }

    private int remember(long nowMs, long object, long sizeBytes) {
        int slot = table.add(object, sizeBytes);
        firstSeenMs = ObjectTable.grown(firstSeenMs, table.slotCapacity());
        counts = ObjectTable.grown(counts, table.slotCapacity());
        firstSeenMs[slot] = nowMs;
        counts[slot] = 0;
        outside.pushHead(slot, 0);
        forgetOldest();
        return slot;
    }

    private void forgetOldest() {
        while (outside.count() > remembered) {
            int oldest = outside.tail();
            outside.remove(oldest, 0);
            table.remove(oldest);
        }
    }

    private long forward(long nowMs) {
        latestMs = Math.max(latestMs, nowMs);
        return latestMs;
    }

    @Override
    public boolean holds(long object) {
        int slot = table.find(object);
        return slot != NONE && byAge.contains(slot);
    }

    @Override
    public void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        int slot = table.find(object);
        if (slot == NONE) {
            slot = remember(forward(nowMs), object, sizeBytes);
        }
        if (!byAge.contains(slot)) {
            outside.remove(slot, 0);
            table.resize(slot, sizeBytes);
            usedBytes += sizeBytes;
            byAge.put(slot, firstSeenMs[slot]);
        }
        shrink(evictions);
    }

    @Override
    public void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = table.find(object);
        if (slot == NONE || !byAge.contains(slot)) {
            return;
        }
        usedBytes += sizeBytes - table.size(slot);
        table.resize(slot, sizeBytes);
        if (sizeBytes > capacityBytes) {
            byAge.remove(slot);
            usedBytes -= sizeBytes;
            outside.pushHead(slot, 0);
            evictions.evicted(object, sizeBytes);
        }
        shrink(evictions);
    }

    @Override
    public void drop(long object) {
        int slot = table.find(object);
        if (slot != NONE && byAge.contains(slot)) {
            byAge.remove(slot);
            usedBytes -= table.size(slot);
            outside.pushHead(slot, 0);
            forgetOldest();
        }
    }

    @Override
    public void forget(long object) {
        drop(object);
        int slot = table.find(object);
        if (slot != NONE) {
            outside.remove(slot, 0);
            table.remove(slot);
        }
    }

    @Override
    public void resize(long bytes, Evictions evictions) {
        capacityBytes = bytes;
        shrink(evictions);
    }

    @Override
    public long usedBytes() {
        return usedBytes;
    }

    @Override
    public long capacityBytes() {
        return capacityBytes;
    }

    @Override
    public long trackedObjects() {
        return table.count();
    }

    @Override
    public long memoryBytes() {
        return table.memoryBytes()
                + byAge.memoryBytes()
                + outside.memoryBytes()
                + 8L * firstSeenMs.length
                + 4L * counts.length
                + 12L * trial.length;
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = table.find(object);
        if (slot == NONE) {
            return null;
        }
        long ageMs = Math.max(0, Math.max(latestMs, nowMs) - firstSeenMs[slot]);
        boolean here = byAge.contains(slot);
        boolean counted = counts[slot] > threshold;
        int oldest = byAge.least();
        long rival = oldest == NONE || oldest == slot ? Explanation.NO_RIVAL : table.id(oldest);
        String rule;
        String verdict;
        if (here) {
            rule = "admitted";
            verdict = "stays until it is the oldest here and room is needed";
        } else if (!counted) {
            rule = "count not over threshold";
            verdict = "is not admitted";
        } else if (table.size(slot) > capacityBytes) {
            rule = "larger than the tier";
            verdict = "has " + table.size(slot) + " bytes where " + capacityBytes + " fit";
        } else {
            rule = "beats no victim";
            verdict = "is older than what would have to leave for it, or left as the oldest";
        }
        String sentence = "read " + counts[slot] + " times (threshold: more than " + threshold + "), first seen "
                + ageMs / 1000 + " s ago: " + verdict;
        return new Explanation("idecider", rule, object, tier, counts[slot], threshold, ageMs, rival, sentence);
    }
}
