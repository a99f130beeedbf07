package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * 2Q, full version: new objects pass through a FIFO of a quarter of the capacity; an object that comes back while its ghost
 * is kept enters a list that is evicted by recency. Source: Johnson, Shasha, VLDB 1994.
 */
public final class TwoQueuePolicy extends TwoStagePolicy {

    private final double ghostShare;

    /**
     * @param recentShare share of the capacity for new objects, the paper's 0.25
     * @param ghostShare bytes of objects whose ghosts are kept, as a share of the capacity, the paper's 0.5
     * @param remembered objects whose ghosts are kept at most
     */
    public TwoQueuePolicy(long capacityBytes, double recentShare, double ghostShare, int remembered) {
        super("2q", capacityBytes, recentShare, remembered);
        this.ghostShare = ghostShare;
    }

    @Override
    long ghostBytes() {
        return (long) (capacityBytes * ghostShare);
    }

    @Override
    void hit(int slot, Access access) {
        if (stage(slot) == MAIN) {
            main.moveToHead(slot);
        }
    }

    @Override
    void evict(int victim, Evictions evictions) {
        long sizeBytes = table.size(victim);
        boolean isRecent = stage(victim) == RECENTLY_ADDED;
        unlink(victim);
        if (isRecent) {
            put(victim, GHOST);
        } else {
            table.remove(victim);
        }
        evictions.evicted(table.id(victim), sizeBytes);
    }

    @Override
    String position(int slot) {
        byte stage = stage(slot);
        return "in the "
                + (stage == RECENTLY_ADDED
                        ? "queue of new objects"
                        : stage == MAIN ? "main list" : "list of removed objects");
    }
}
