package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * ARC: two lists by recency, of objects used once and more often, whose shares of the room shift to where what just left
 * comes back from. Sizes are counted in bytes. Source: Megiddo, Modha, FAST 2003.
 */
public final class ArcPolicy extends OrderedCachePolicy {

    private static final byte ONCE = 0;
    private static final byte OFTEN = 1;
    private static final byte ONCE_GHOST = 2;
    private static final byte OFTEN_GHOST = 3;

    private final IndexedList[] lists = {new IndexedList(), new IndexedList(), new IndexedList(), new IndexedList()};
    private final int remembered;
    private byte[] places = {};
    /** Bytes the list of objects used once should have. */
    private double onceTarget;

    /** @param remembered objects that left whose ghosts are kept at most */
    public ArcPolicy(long capacityBytes, int remembered) {
        super("arc", capacityBytes);
        this.remembered = remembered;
    }

    @Override
    void hit(int slot, Access access) {
        unlink(slot);
        place(slot, OFTEN);
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        long sizeBytes = access.sizeBytes();
        if (slot == NONE) {
            trimGhosts(sizeBytes);
            replace(sizeBytes, false, evictions);
            place(table.add(access.object(), sizeBytes), ONCE);
            boundGhosts();
            return;
        }
        double once = lists[ONCE_GHOST].bytes();
        double often = lists[OFTEN_GHOST].bytes();
        boolean fromOften = places[slot] == OFTEN_GHOST;
        if (fromOften) {
            onceTarget = Math.max(0, onceTarget - Math.max(1, once / Math.max(1, often)) * sizeBytes);
        } else {
            onceTarget = Math.min(capacityBytes, onceTarget + Math.max(1, often / Math.max(1, once)) * sizeBytes);
        }
        replace(sizeBytes, fromOften, evictions);
        unlink(slot);
        table.resize(slot, sizeBytes);
        place(slot, OFTEN);
        boundGhosts();
    }

    /** Makes the directory small enough for one more object, as cases IV.A and IV.B of the paper. */
    private void trimGhosts(long sizeBytes) {
        while (lists[ONCE].bytes() + lists[ONCE_GHOST].bytes() + sizeBytes > capacityBytes
                && lists[ONCE_GHOST].count() > 0) {
            forget(ONCE_GHOST);
        }
        while (allBytes() + sizeBytes > 2 * capacityBytes && lists[OFTEN_GHOST].count() > 0) {
            forget(OFTEN_GHOST);
        }
    }

    private void boundGhosts() {
        while (lists[ONCE_GHOST].count() + lists[OFTEN_GHOST].count() > remembered) {
            forget(lists[ONCE_GHOST].count() > lists[OFTEN_GHOST].count() ? ONCE_GHOST : OFTEN_GHOST);
        }
    }

    private long allBytes() {
        return usedBytes() + lists[ONCE_GHOST].bytes() + lists[OFTEN_GHOST].bytes();
    }

    private void forget(byte list) {
        int oldest = lists[list].tail();
        unlink(oldest);
        table.remove(oldest);
    }

    private void replace(long sizeBytes, boolean fromOften, Evictions evictions) {
        while (usedBytes() + sizeBytes > capacityBytes && usedBytes() > 0) {
            evictOne(fromOften, evictions);
        }
    }

    private void evictOne(boolean fromOften, Evictions evictions) {
        int victim = victim(fromOften);
        byte from = places[victim];
        unlink(victim);
        boolean directoryFull = from == ONCE
                && lists[ONCE].bytes() + table.size(victim) >= capacityBytes
                && lists[ONCE_GHOST].count() == 0;
        if (directoryFull) {
            table.remove(victim);
        } else {
            place(victim, from == ONCE ? ONCE_GHOST : OFTEN_GHOST);
        }
        evictions.evicted(table.id(victim), table.size(victim));
    }

    private int victim(boolean fromOften) {
        IndexedList once = lists[ONCE];
        boolean takeOnce = once.count() > 0
                && (once.bytes() > onceTarget
                        || (fromOften && once.bytes() == (long) onceTarget)
                        || lists[OFTEN].count() == 0);
        return takeOnce ? once.tail() : lists[OFTEN].tail();
    }

    private void place(int slot, byte place) {
        places = ObjectTable.grown(places, table.slotCapacity());
        places[slot] = place;
        lists[place].pushHead(slot, table.size(slot));
    }

    @Override
    boolean resident(int slot) {
        return places[slot] < ONCE_GHOST;
    }

    @Override
    void insert(int slot) {
        place(slot, ONCE);
    }

    @Override
    IndexedList chainOf(int slot) {
        return lists[places[slot]];
    }

    @Override
    void shrink(Evictions evictions) {
        onceTarget = Math.min(onceTarget, capacityBytes);
        replace(0, false, evictions);
        trimGhosts(0);
        boundGhosts();
    }

    @Override
    public long usedBytes() {
        return lists[ONCE].bytes() + lists[OFTEN].bytes();
    }

    @Override
    long columnBytes() {
        long sum = places.length;
        for (IndexedList list : lists) {
            sum += list.memoryBytes();
        }
        return sum;
    }

    @Override
    int nextVictim() {
        return lists[ONCE].count() + lists[OFTEN].count() == 0 ? NONE : victim(false);
    }

    @Override
    String position(int slot) {
        return switch (places[slot]) {
            case ONCE -> "used once of late";
            case OFTEN -> "used more than once of late";
            case ONCE_GHOST -> "left after a single use";
            default -> "left after several uses";
        };
    }
}
