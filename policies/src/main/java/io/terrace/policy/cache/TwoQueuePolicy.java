package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * 2Q, full version: newcomers pass through a FIFO of a quarter of the room; what comes back while it is remembered from
 * there is kept by recency. Source: Johnson, Shasha, VLDB 1994.
 */
public final class TwoQueuePolicy extends OrderedCachePolicy {

    private static final byte IN = 0;
    private static final byte MAIN = 1;
    private static final byte OUT = 2;

    private final IndexedList in = new IndexedList();
    private final IndexedList main = new IndexedList();
    private final IndexedList out = new IndexedList();
    private final double inShare;
    private final double outShare;
    private byte[] places = {};

    /**
     * @param inShare share of the capacity for newcomers, the paper's 0.25
     * @param outShare bytes of objects remembered after they left the FIFO, as a share of the capacity, the paper's 0.5
     */
    public TwoQueuePolicy(long capacityBytes, double inShare, double outShare) {
        super("2q", capacityBytes);
        this.inShare = inShare;
        this.outShare = outShare;
    }

    @Override
    void hit(int slot, Access access) {
        if (places[slot] == MAIN) {
            main.moveToHead(slot);
        }
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        boolean returned = slot != NONE;
        if (returned) {
            out.remove(slot, table.size(slot));
            table.remove(slot);
        }
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        place(table.add(access.object(), access.sizeBytes()), returned ? MAIN : IN);
    }

    private void place(int slot, byte place) {
        places = ObjectTable.grown(places, table.slotCapacity());
        places[slot] = place;
        chain(place).pushHead(slot, table.size(slot));
    }

    private IndexedList chain(byte place) {
        return place == IN ? in : place == MAIN ? main : out;
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (usedBytes() > bytes && in.count() + main.count() > 0) {
            int slot = nextVictim();
            long sizeBytes = table.size(slot);
            boolean newcomer = places[slot] == IN;
            unlink(slot);
            if (newcomer) {
                place(slot, OUT);
            } else {
                table.remove(slot);
            }
            evictions.evicted(table.id(slot), sizeBytes);
        }
        while (out.bytes() > capacityBytes * outShare) {
            int oldest = out.tail();
            out.remove(oldest, table.size(oldest));
            table.remove(oldest);
        }
    }

    @Override
    boolean resident(int slot) {
        return places[slot] != OUT;
    }

    @Override
    void insert(int slot) {
        place(slot, IN);
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
        return in.bytes() + main.bytes();
    }

    @Override
    long columnBytes() {
        return in.memoryBytes() + main.memoryBytes() + out.memoryBytes() + places.length;
    }

    @Override
    int nextVictim() {
        return in.count() > 0 && (in.bytes() > capacityBytes * inShare || main.count() == 0) ? in.tail() : main.tail();
    }

    @Override
    String standing(int slot) {
        return "in the "
                + (places[slot] == IN ? "newcomers' queue" : places[slot] == MAIN ? "main list" : "list of the gone");
    }
}
