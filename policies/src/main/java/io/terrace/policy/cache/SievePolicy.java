package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * SIEVE: a queue in order of arrival and a hand that walks from the oldest to the newest, sparing and unmarking what was
 * used since it last came by and evicting the first that was not. Source: Zhang et al., NSDI 2024.
 */
public final class SievePolicy extends OrderedCachePolicy {

    private final IndexedList queue = new IndexedList();
    private byte[] visited = {};
    private int hand = NONE;

    public SievePolicy(long capacityBytes) {
        super("sieve", capacityBytes);
    }

    @Override
    void hit(int slot, Access access) {
        visited[slot] = 1;
    }

    @Override
    void miss(int slot, Access access, Evictions evictions) {
        evictTo(capacityBytes - access.sizeBytes(), evictions);
        insert(table.add(access.object(), access.sizeBytes()));
    }

    private void evictTo(long bytes, Evictions evictions) {
        while (queue.bytes() > bytes && queue.count() > 0) {
            int at = hand == NONE ? queue.tail() : hand;
            while (visited[at] != 0) {
                visited[at] = 0;
                int newer = queue.newer(at);
                at = newer == NONE ? queue.tail() : newer;
            }
            hand = at;
            unlink(at);
            table.remove(at);
            evictions.evicted(table.id(at), table.size(at));
        }
    }

    @Override
    boolean resident(int slot) {
        return true;
    }

    @Override
    void insert(int slot) {
        visited = ObjectTable.grown(visited, table.slotCapacity());
        visited[slot] = 0;
        queue.pushHead(slot, table.size(slot));
    }

    @Override
    IndexedList chainOf(int slot) {
        return queue;
    }

    @Override
    void unlink(int slot) {
        if (slot == hand) {
            hand = queue.newer(slot);
        }
        super.unlink(slot);
    }

    @Override
    void shrink(Evictions evictions) {
        evictTo(capacityBytes, evictions);
    }

    @Override
    public long usedBytes() {
        return queue.bytes();
    }

    @Override
    long columnBytes() {
        return queue.memoryBytes() + visited.length;
    }

    @Override
    int nextVictim() {
        int at = hand == NONE ? queue.tail() : hand;
        for (int i = 0; at != NONE && visited[at] != 0 && i < queue.count(); i++) {
            int newer = queue.newer(at);
            at = newer == NONE ? queue.tail() : newer;
        }
        return at;
    }

    @Override
    String position(int slot) {
        return visited[slot] != 0 ? "used since the hand last came by" : "not used since the hand last came by";
    }
}
