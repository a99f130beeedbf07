package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * S3-FIFO: newcomers wait in a small queue; those used again there, and those that come back soon after they left,
 * enter the main queue, where an object is given another round for each of up to three uses. Source: Yang et al., SOSP
 * 2023.
 */
public final class S3FifoPolicy extends OrderedCachePolicy {

    private static final byte SMALL = 0;
    private static final byte MAIN = 1;
    private static final byte GHOST = 2;
    private static final int MOST_USES = 3;

    private final IndexedList small = new IndexedList();
    private final IndexedList main = new IndexedList();
    private final IndexedList ghosts = new IndexedList();
    private final double smallShare;
    private byte[] places = {};
    private byte[] uses = {};

    /** @param smallShare share of the capacity for newcomers, the paper's 0.1 */
    public S3FifoPolicy(long capacityBytes, double smallShare) {
        super("s3-fifo", capacityBytes);
        this.smallShare = smallShare;
    }

    private long smallBytes() {
        return (long) (capacityBytes * smallShare);
    }

    @Override
    void hit(int slot, Access access) {
        uses[slot] = (byte) Math.min(MOST_USES, uses[slot] + 1);
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        boolean returned = slot != NONE;
        if (returned) {
            ghosts.remove(slot, table.size(slot));
            table.remove(slot);
        }
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        place(table.add(access.object(), access.sizeBytes()), returned ? MAIN : SMALL);
    }

    private void place(int slot, byte place) {
        places = ObjectTable.grown(places, table.slotCapacity());
        uses = ObjectTable.grown(uses, table.slotCapacity());
        places[slot] = place;
        uses[slot] = 0;
        chain(place).pushHead(slot, table.size(slot));
    }

    private IndexedList chain(byte place) {
        return place == SMALL ? small : place == MAIN ? main : ghosts;
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (usedBytes() > bytes && small.count() + main.count() > 0) {
            if (small.count() > 0 && (small.bytes() > smallBytes() || main.count() == 0)) {
                evictSmall(evictions);
            } else {
                evictMain(evictions);
            }
        }
        while (ghosts.bytes() > capacityBytes - smallBytes()) {
            int oldest = ghosts.tail();
            ghosts.remove(oldest, table.size(oldest));
            table.remove(oldest);
        }
    }

    private void evictSmall(Evictions evictions) {
        int slot = small.tail();
        long sizeBytes = table.size(slot);
        small.remove(slot, sizeBytes);
        if (uses[slot] > 1) {
            place(slot, MAIN);
        } else {
            place(slot, GHOST);
            evictions.evicted(table.id(slot), sizeBytes);
        }
    }

    private void evictMain(Evictions evictions) {
        int slot = main.tail();
        if (uses[slot] > 0) {
            uses[slot]--;
            main.moveToHead(slot);
        } else {
            main.remove(slot, table.size(slot));
            table.remove(slot);
            evictions.evicted(table.id(slot), table.size(slot));
        }
    }

    @Override
    boolean resident(int slot) {
        return places[slot] != GHOST;
    }

    @Override
    void insert(int slot) {
        place(slot, SMALL);
    }

    @Override
    void unlink(int slot) {
        chain(places[slot]).remove(slot, table.size(slot));
    }

    @Override
    void shrink(Evictions evictions) {
        evictTo(capacityBytes, evictions);
    }

    @Override
    public long usedBytes() {
        return small.bytes() + main.bytes();
    }

    @Override
    long columnBytes() {
        return small.memoryBytes() + main.memoryBytes() + ghosts.memoryBytes() + places.length + uses.length;
    }

    @Override
    int nextVictim() {
        return small.count() > 0 && (small.bytes() > smallBytes() || main.count() == 0) ? small.tail() : main.tail();
    }

    @Override
    double figure(int slot) {
        return uses[slot];
    }

    @Override
    String standing(int slot) {
        return uses[slot] + " uses in the "
                + (places[slot] == SMALL ? "small queue" : places[slot] == MAIN ? "main queue" : "list of the gone");
    }
}
