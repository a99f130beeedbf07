package io.terrace.policy.shelf;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import org.jspecify.annotations.Nullable;

/**
 * Decayed access counts with admission. Every access adds its weight to the object's count, which halves every {@code
 * halfLifeMs}; the object of least worth leaves, and one outside is admitted only if it is worth more than each of those
 * that would have to leave for it. Worth is the decayed count, or, by density, the decayed count per byte.
 *
 * <p>Since all counts decay alike, their order never changes between accesses. The key kept is the logarithm of the
 * count at the last access plus the half-lives passed since the beginning of time, so nothing has to be touched as time
 * goes by. Counts of objects outside are kept for the {@code remembered} most recently read ones.
 */
public final class DecayShelf implements Shelf {

    private static final int NONE = ObjectTable.NONE;
    private static final double LN2 = Math.log(2);

    private final ObjectTable table = new ObjectTable();
    private final SlotHeap residents = new SlotHeap();
    private final Chain outside = new Chain();

    private final String name;
    private final double halfLivesPerMs;
    private final boolean byDensity;
    private final int remembered;
    /** log2 of the decayed count, as if it were taken to time 0. */
    private double[] heats = {};

    private int[] trial = new int[16];
    private long[] trialTurns = new long[16];
    private long capacityBytes;
    private long usedBytes;
    private long latestMs = Long.MIN_VALUE;

    /**
     * @param halfLifeMs time in which a count halves, above 0; {@link Long#MAX_VALUE} for never
     * @param byDensity whether worth is the count per byte
     * @param remembered objects outside whose counts are kept, at least 1
     */
    public DecayShelf(String name, long capacityBytes, long halfLifeMs, boolean byDensity, int remembered) {
        this.name = name;
        this.capacityBytes = capacityBytes;
        this.halfLivesPerMs = halfLifeMs == Long.MAX_VALUE ? 0 : 1.0 / halfLifeMs;
        this.byDensity = byDensity;
        this.remembered = remembered;
    }

    @Override
    public void access(Access access, Evictions evictions) {
        latestMs = Math.max(latestMs, access.nowMs());
        double birth = latestMs * halfLivesPerMs + log2(access.burst());
        int slot = table.find(access.object());
        if (slot == NONE) {
            slot = remember(access.object(), access.sizeBytes(), birth);
        } else {
            heats[slot] = sum(heats[slot], birth);
        }
        if (residents.contains(slot)) {
            residents.put(slot, worth(slot));
            return;
        }
        table.resize(slot, access.sizeBytes());
        outside.moveToHead(slot);
        if (beatsVictims(slot)) {
            outside.remove(slot, 0);
            enter(slot, evictions);
        }
    }

    /** log2(2^a + 2^b). */
    private static double sum(double a, double b) {
        double more = Math.max(a, b);
        double gap = Math.min(a, b) - more;
        return gap < -40 ? more : more + Math.log1p(Math.exp(gap * LN2)) / LN2;
    }

    private static double log2(double x) {
        return Math.log(x) / LN2;
    }

    private double worth(int slot) {
        return byDensity ? heats[slot] - log2(Math.max(1, table.size(slot))) : heats[slot];
    }

    private boolean beatsVictims(int slot) {
        long needed = table.size(slot);
        if (needed > capacityBytes) {
            return false;
        }
        double worth = worth(slot);
        long room = capacityBytes - usedBytes;
        int popped = 0;
        while (room < needed && residents.leastKey() < worth) {
            int victim = residents.least();
            room += table.size(victim);
            if (popped == trial.length) {
                trial = ObjectTable.grown(trial, popped * 2);
                trialTurns = ObjectTable.grown(trialTurns, popped * 2);
            }
            trialTurns[popped] = residents.turn(victim);
            trial[popped++] = victim;
            residents.remove(victim);
            if (residents.count() == 0) {
                break;
            }
        }
        while (popped > 0) {
            int victim = trial[--popped];
            residents.restore(victim, worth(victim), trialTurns[popped]);
        }
        return room >= needed;
    }

    private void enter(int slot, Evictions evictions) {
        usedBytes += table.size(slot);
        shrink(evictions);
        residents.put(slot, worth(slot));
    }

    private void shrink(Evictions evictions) {
        while (usedBytes > capacityBytes && residents.count() > 0) {
            leave(residents.least(), evictions);
        }
        forgetOldest();
    }

    private void leave(int victim, Evictions evictions) {
        residents.remove(victim);
        usedBytes -= table.size(victim);
        outside.pushHead(victim, 0);
        evictions.evicted(table.id(victim), table.size(victim));
    }

    private int remember(long object, long sizeBytes, double heat) {
        int slot = table.add(object, sizeBytes);
        heats = ObjectTable.grown(heats, table.slotCapacity());
        heats[slot] = heat;
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

    @Override
    public boolean holds(long object) {
        int slot = table.find(object);
        return slot != NONE && residents.contains(slot);
    }

    @Override
    public void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        latestMs = Math.max(latestMs, nowMs);
        int slot = table.find(object);
        if (slot == NONE) {
            slot = remember(object, sizeBytes, latestMs * halfLivesPerMs);
        }
        if (!residents.contains(slot)) {
            outside.remove(slot, 0);
            table.resize(slot, sizeBytes);
            usedBytes += sizeBytes;
            residents.put(slot, worth(slot));
        }
        shrink(evictions);
    }

    @Override
    public void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = table.find(object);
        if (slot == NONE || !residents.contains(slot)) {
            return;
        }
        usedBytes += sizeBytes - table.size(slot);
        table.resize(slot, sizeBytes);
        residents.put(slot, worth(slot));
        if (sizeBytes > capacityBytes) {
            leave(slot, evictions);
        }
        shrink(evictions);
    }

    @Override
    public void drop(long object) {
        int slot = table.find(object);
        if (slot != NONE && residents.contains(slot)) {
            residents.remove(slot);
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
                + residents.memoryBytes()
                + outside.memoryBytes()
                + 8L * heats.length
                + 12L * trial.length;
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = table.find(object);
        if (slot == NONE) {
            return null;
        }
        double now = Math.max(latestMs, nowMs) * halfLivesPerMs;
        double count = Math.pow(2, heats[slot] - now);
        int least = residents.least();
        double bar = least == NONE ? 0 : Math.pow(2, residents.leastKey() - now);
        boolean here = residents.contains(slot);
        double worth = Math.pow(2, worth(slot) - now);
        String unit = byDensity ? "decayed reads per byte" : "decayed reads";
        return new Explanation(
                name,
                here ? "worth its room" : "worth less than what would leave",
                object,
                tier,
                worth,
                bar,
                -1,
                least == NONE || least == slot ? Explanation.NO_RIVAL : table.id(least),
                String.format(
                        "%.3g decayed reads, worth %.3g %s; the least of those here is worth %.3g",
                        count, worth, unit, bar));
    }
}
