package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import java.util.Locale;

/**
 * Admits everything that fits and evicts the object of least worth, worth being worked out from the count of accesses
 * when the object is used: plain (LFU), per byte and ageing with what was evicted (GDSF), or fading with each access to
 * anything (LRFU).
 *
 * <p>Sources: Cherkasova, HPL-98-69R1 (GDSF); Lee et al., IEEE Trans. Computers 50/12, 2001 (LRFU).
 */
public final class FrequencyPolicy extends OrderedCachePolicy {

    /** How worth is worked out. */
    public enum Rule {
        LFU,
        GDSF,
        LRFU
    }

    private final IndexedHeap residents = new IndexedHeap();
    private final IndexedList outside = new IndexedList();
    private final Rule rule;
    private final int remembered;
    private final double fadePerAccess;
    /** LFU, GDSF: accesses. LRFU: log2 of the fading count taken back to the first access of all. */
    private double[] counts = {};

    private double inflation;
    private long accesses;
    private long usedBytes;

    /**
     * @param remembered objects outside whose counts are kept; GDSF keeps none
     * @param fadePerAccess LRFU: half-lives that pass with each access to anything
     */
    public FrequencyPolicy(String name, Rule rule, long capacityBytes, int remembered, double fadePerAccess) {
        super(name, capacityBytes);
        this.rule = rule;
        this.remembered = rule == Rule.GDSF ? 0 : remembered;
        this.fadePerAccess = fadePerAccess;
    }

    @Override
    void hit(int slot, Access access) {
        count(slot, access.burst());
        residents.put(slot, worth(slot));
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        int found = slot;
        if (found == NONE) {
            found = table.add(access.object(), access.sizeBytes());
            counts = ObjectTable.grown(counts, table.slotCapacity());
            counts[found] = rule == Rule.LRFU ? Double.NEGATIVE_INFINITY : 0;
        } else {
            outside.remove(found, 0);
            table.resize(found, access.sizeBytes());
        }
        count(found, access.burst());
        usedBytes += access.sizeBytes();
        shrink(evictions);
        residents.put(found, worth(found));
    }

    private void count(int slot, int burst) {
        accesses++;
        if (rule == Rule.LRFU) {
            double birth = accesses * fadePerAccess + Math.log(burst) / Math.log(2);
            double more = Math.max(counts[slot], birth);
            double less = Math.min(counts[slot], birth);
            counts[slot] = more + Math.log1p(Math.pow(2, less - more)) / Math.log(2);
        } else {
            counts[slot] += burst;
        }
    }

    private double worth(int slot) {
        return rule == Rule.GDSF ? inflation + counts[slot] / Math.max(1, table.size(slot)) : counts[slot];
    }

    @Override
    boolean resident(int slot) {
        return residents.contains(slot);
    }

    @Override
    void insert(int slot) {
        counts = ObjectTable.grown(counts, table.slotCapacity());
        counts[slot] = rule == Rule.LRFU ? accesses * fadePerAccess : 1;
        usedBytes += table.size(slot);
        residents.put(slot, worth(slot));
    }

    @Override
    void unlink(int slot) {
        if (residents.contains(slot)) {
            residents.remove(slot);
            usedBytes -= table.size(slot);
        } else {
            outside.remove(slot, 0);
        }
    }

    @Override
    void shrink(Evictions evictions) {
        while (usedBytes > capacityBytes && residents.count() > 0) {
            int victim = residents.least();
            inflation = residents.leastKey();
            unlink(victim);
            outside.pushHead(victim, 0);
            evictions.evicted(table.id(victim), table.size(victim));
        }
        while (outside.count() > remembered) {
            int oldest = outside.tail();
            outside.remove(oldest, 0);
            table.remove(oldest);
        }
    }

    @Override
    public long usedBytes() {
        return usedBytes;
    }

    @Override
    long columnBytes() {
        return residents.memoryBytes() + outside.memoryBytes() + 8L * counts.length;
    }

    @Override
    int nextVictim() {
        return residents.least();
    }

    @Override
    double figure(int slot) {
        return rule == Rule.LRFU ? Math.pow(2, counts[slot] - accesses * fadePerAccess) : worth(slot);
    }

    @Override
    String position(int slot) {
        return String.format(Locale.ROOT, "worth %.3g by its accesses", figure(slot));
    }
}
