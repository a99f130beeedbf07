package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/** Admits everything that fits, evicts the least recently used. */
public final class LruPolicy extends OrderedCachePolicy {

    private final IndexedList indexedList = new IndexedList();
    private long[] usedMs = {};

    public LruPolicy(long capacityBytes) {
        super("lru", capacityBytes);
    }

    @Override
    void hit(int slot, Access access) {
        indexedList.moveToHead(slot);
        usedMs[slot] = latestMs;
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        insert(table.add(access.object(), access.sizeBytes()));
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (indexedList.bytes() > bytes && indexedList.tail() != NONE) {
            int victim = indexedList.tail();
            unlink(victim);
            table.remove(victim);
            evictions.evicted(table.id(victim), table.size(victim));
        }
    }

    @Override
    boolean resident(int slot) {
        return true;
    }

    @Override
    void insert(int slot) {
        usedMs = ObjectTable.grown(usedMs, table.slotCapacity());
        usedMs[slot] = latestMs;
        indexedList.pushHead(slot, table.size(slot));
    }

    @Override
    IndexedList chainOf(int slot) {
        return indexedList;
    }

    @Override
    void shrink(Evictions evictions) {
        evictTo(capacityBytes, evictions);
    }

    @Override
    public long usedBytes() {
        return indexedList.bytes();
    }

    @Override
    long columnBytes() {
        return indexedList.memoryBytes() + 8L * usedMs.length;
    }

    @Override
    int nextVictim() {
        return indexedList.tail();
    }

    @Override
    String position(int slot) {
        return "last used " + (latestMs - usedMs[slot]) / 1000 + " s before the latest access";
    }
}
