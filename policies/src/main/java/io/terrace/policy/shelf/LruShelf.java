package io.terrace.policy.shelf;

import io.terrace.policy.Access;

/** Admits everything that fits, evicts the least recently used. */
public final class LruShelf extends TabledShelf {

    private final Chain chain = new Chain();
    private long[] usedMs = {};

    public LruShelf(long capacityBytes) {
        super("lru", capacityBytes);
    }

    @Override
    void hit(int slot, Access access) {
        chain.moveToHead(slot);
        usedMs[slot] = latestMs;
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        insert(table.add(access.object(), access.sizeBytes()));
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (chain.bytes() > bytes && chain.tail() != NONE) {
            int victim = chain.tail();
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
        chain.pushHead(slot, table.size(slot));
    }

    @Override
    void unlink(int slot) {
        chain.remove(slot, table.size(slot));
    }

    @Override
    void shrink(Evictions evictions) {
        evictTo(capacityBytes, evictions);
    }

    @Override
    public long usedBytes() {
        return chain.bytes();
    }

    @Override
    long orderBytes() {
        return chain.memoryBytes() + 8L * usedMs.length;
    }

    @Override
    int nextVictim() {
        return chain.tail();
    }

    @Override
    String standing(int slot) {
        return "last used " + (latestMs - usedMs[slot]) / 1000 + " s before the latest access";
    }
}
