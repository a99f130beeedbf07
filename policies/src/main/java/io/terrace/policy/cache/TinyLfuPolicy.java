package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;

/**
 * W-TinyLFU: new objects live in a small window by recency; what falls out of it enters the main room only if a sketch
 * has counted it more often than those it would displace. The main room is a segmented LRU, four fifths of it for
 * objects used again. Objects larger than the window are offered to the main room directly. Source: Einziger, Friedman,
 * Manes, ACM ToS 13/4, 2017.
 */
public final class TinyLfuPolicy extends OrderedCachePolicy {

    private static final byte WINDOW = 0;
    private static final byte PROBATION = 1;
    private static final byte PROTECTED = 2;
    private static final double PROTECTED_SHARE = 0.8;

    private final IndexedList window = new IndexedList();
    private final IndexedList probation = new IndexedList();
    private final IndexedList kept = new IndexedList();
    private final FrequencySketch sketch;
    private final double windowShare;
    private byte[] places = {};

    /**
     * @param windowShare share of the capacity for new objects
     * @param expectedObjects objects the sketch is made for
     */
    public TinyLfuPolicy(long capacityBytes, double windowShare, int expectedObjects) {
        super("w-tinylfu", capacityBytes);
        this.windowShare = windowShare;
        sketch = new FrequencySketch(expectedObjects);
    }

    private long windowBytes() {
        return (long) (capacityBytes * windowShare);
    }

    private long mainBytes() {
        return capacityBytes - windowBytes();
    }

    @Override
    void hit(int slot, Access access) {
        sketch.add(access.object(), table.count());
        if (places[slot] == PROBATION) {
            unlink(slot);
            place(slot, PROTECTED);
            while (kept.bytes() > mainBytes() * PROTECTED_SHARE && kept.count() > 1) {
                int oldest = kept.tail();
                unlink(oldest);
                place(oldest, PROBATION);
            }
        } else {
            chainOf(slot).moveToHead(slot);
        }
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        sketch.add(access.object(), table.count());
        int found = table.add(access.object(), access.sizeBytes());
        if (access.sizeBytes() > windowBytes()) {
            places = ObjectTable.grown(places, table.slotCapacity());
            if (!offer(found, evictions)) {
                table.remove(found);
            }
            return;
        }
        place(found, WINDOW);
        emptyWindow(evictions);
    }

    private void emptyWindow(Evictions evictions) {
        while (window.bytes() > windowBytes() && window.count() > 0) {
            int oldest = window.tail();
            unlink(oldest);
            if (!offer(oldest, evictions)) {
                table.remove(oldest);
                evictions.evicted(table.id(oldest), table.size(oldest));
            }
        }
    }

    /** Whether an object that is in no list was let into the main room. */
    private boolean offer(int slot, Evictions evictions) {
        long sizeBytes = table.size(slot);
        if (sizeBytes > mainBytes()) {
            return false;
        }
        int wanted = sketch.estimate(table.id(slot));
        long room = mainBytes() - probation.bytes() - kept.bytes();
        for (int victim = firstVictim(); room < sizeBytes && victim != NONE; victim = afterVictim(victim)) {
            if (sketch.estimate(table.id(victim)) >= wanted) {
                return false;
            }
            room += table.size(victim);
        }
        evictMain(mainBytes() - sizeBytes, evictions);
        place(slot, PROBATION);
        return true;
    }

    private void evictMain(long bytes, Evictions evictions) {
        while (probation.bytes() + kept.bytes() > bytes && probation.count() + kept.count() > 0) {
            int victim = firstVictim();
            unlink(victim);
            table.remove(victim);
            evictions.evicted(table.id(victim), table.size(victim));
        }
    }

    private int firstVictim() {
        return probation.tail() != NONE ? probation.tail() : kept.tail();
    }

    private int afterVictim(int victim) {
        int newer = chainOf(victim).newer(victim);
        return newer == NONE && places[victim] == PROBATION ? kept.tail() : newer;
    }

    private IndexedList chain(byte place) {
        return place == WINDOW ? window : place == PROBATION ? probation : kept;
    }

    private void place(int slot, byte place) {
        places = ObjectTable.grown(places, table.slotCapacity());
        places[slot] = place;
        chain(place).pushHead(slot, table.size(slot));
    }

    @Override
    boolean resident(int slot) {
        return true;
    }

    @Override
    void insert(int slot) {
        place(slot, WINDOW);
    }

    @Override
    IndexedList chainOf(int slot) {
        return chain(places[slot]);
    }

    @Override
    void shrink(Evictions evictions) {
        emptyWindow(evictions);
        evictMain(mainBytes(), evictions);
    }

    @Override
    public long usedBytes() {
        return window.bytes() + probation.bytes() + kept.bytes();
    }

    @Override
    long columnBytes() {
        return window.memoryBytes()
                + probation.memoryBytes()
                + kept.memoryBytes()
                + places.length
                + sketch.memoryBytes();
    }

    @Override
    int nextVictim() {
        return firstVictim() != NONE ? firstVictim() : window.tail();
    }

    @Override
    double figure(int slot) {
        return sketch.estimate(table.id(slot));
    }

    @Override
    String position(int slot) {
        return "counted " + Explanation.times(sketch.estimate(table.id(slot))) + ", in the "
                + (places[slot] == WINDOW
                        ? "window"
                        : places[slot] == PROBATION ? "probation segment" : "protected segment");
    }
}
