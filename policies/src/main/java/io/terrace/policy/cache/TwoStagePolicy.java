package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * An ordered cache policy in two stages: new objects pass through a queue of their own, and those that are used again soon
 * after they left it enter the main list. The last ones to leave are kept as ghosts, to be known by when they come back.
 */
abstract class TwoStagePolicy extends OrderedCachePolicy {

    static final byte RECENTLY_ADDED = 0;
    static final byte MAIN = 1;
    static final byte GHOST = 2;

    private final IndexedList recentlyAdded = new IndexedList();
    final IndexedList main = new IndexedList();
    private final IndexedList ghosts = new IndexedList();
    private final double recentShare;
    private final int remembered;
    private byte[] stages = {};

    /**
     * @param recentShare share of the capacity for new objects
     * @param remembered objects that left whose ghosts are kept at most
     */
    TwoStagePolicy(String name, long capacityBytes, double recentShare, int remembered) {
        super(name, capacityBytes);
        this.recentShare = recentShare;
        this.remembered = remembered;
    }

    /** Bytes of ghosts that are kept. */
    abstract long ghostBytes();

    /** Takes the victim out of the cache, or gives it another place in it. */
    abstract void evict(int victim, Evictions evictions);

    final byte stage(int slot) {
        return stages[slot];
    }

    final long recentlyAddedBytes() {
        return (long) (capacityBytes * recentShare);
    }

    @Override
    final void miss(int slot, Access access, Evictions evictions) {
        boolean returned = slot != NONE;
        if (returned) {
            ghosts.remove(slot, table.size(slot));
            table.remove(slot);
        }
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        put(table.add(access.object(), access.sizeBytes()), returned ? MAIN : RECENTLY_ADDED);
    }

    void put(int slot, byte stage) {
        stages = ObjectTable.grown(stages, table.slotCapacity());
        stages[slot] = stage;
        list(stage).pushHead(slot, table.size(slot));
    }

    private IndexedList list(byte stage) {
        return stage == RECENTLY_ADDED ? recentlyAdded : stage == MAIN ? main : ghosts;
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (usedBytes() > bytes && recentlyAdded.count() + main.count() > 0) {
            evict(nextVictim(), evictions);
        }
        while (ghosts.bytes() > ghostBytes() || ghosts.count() > remembered) {
            int oldest = ghosts.tail();
            ghosts.remove(oldest, table.size(oldest));
            table.remove(oldest);
        }
    }

    @Override
    final boolean resident(int slot) {
        return stages[slot] != GHOST;
    }

    @Override
    final void insert(int slot) {
        put(slot, RECENTLY_ADDED);
    }

    @Override
    final IndexedList chainOf(int slot) {
        return list(stages[slot]);
    }

    @Override
    final void shrink(Evictions evictions) {
        evictTo(capacityBytes, evictions);
    }

    @Override
    public final long usedBytes() {
        return recentlyAdded.bytes() + main.bytes();
    }

    @Override
    long columnBytes() {
        return recentlyAdded.memoryBytes() + main.memoryBytes() + ghosts.memoryBytes() + stages.length;
    }

    @Override
    final int nextVictim() {
        return recentlyAdded.count() > 0 && (recentlyAdded.bytes() > recentlyAddedBytes() || main.count() == 0)
                ? recentlyAdded.tail()
                : main.tail();
    }
}
