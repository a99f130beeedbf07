package io.terrace.policy.cache;

import io.terrace.policy.api.Access;

/**
 * S3-FIFO: new objects wait in a small queue; those used again there, and those that come back soon after they left,
 * enter the main queue, where an object is given another round for each of up to three uses. Source: Yang et al., SOSP
 * 2023.
 */
public final class S3FifoPolicy extends TwoStagePolicy {

    private static final int MOST_USES = 3;

    private byte[] uses = {};

    /**
     * @param smallShare share of the capacity for new objects, the paper's 0.1
     * @param remembered objects that left whose ghosts are kept at most
     */
    public S3FifoPolicy(long capacityBytes, double smallShare, int remembered) {
        super("s3-fifo", capacityBytes, smallShare, remembered);
    }

    @Override
    long ghostBytes() {
        return capacityBytes - recentlyAddedBytes();
    }

    @Override
    void hit(int slot, Access access) {
        uses[slot] = (byte) Math.min(MOST_USES, uses[slot] + 1);
    }

    @Override
    void put(int slot, byte stage) {
        super.put(slot, stage);
        uses = ObjectTable.grown(uses, table.slotCapacity());
        uses[slot] = 0;
    }

    @Override
    void evict(int victim, Evictions evictions) {
        if (stage(victim) == MAIN && uses[victim] > 0) {
            uses[victim]--;
            main.moveToHead(victim);
            return;
        }
        long sizeBytes = table.size(victim);
        boolean isRecent = stage(victim) == RECENTLY_ADDED;
        boolean usedAgain = uses[victim] > 1;
        unlink(victim);
        if (isRecent) {
            put(victim, usedAgain ? MAIN : GHOST);
        } else {
            table.remove(victim);
        }
        if (!isRecent || !usedAgain) {
            evictions.evicted(table.id(victim), sizeBytes);
        }
    }

    @Override
    long columnBytes() {
        return super.columnBytes() + uses.length;
    }

    @Override
    double figure(int slot) {
        return uses[slot];
    }

    @Override
    String position(int slot) {
        byte stage = stage(slot);
        return uses[slot] + " uses in the "
                + (stage == RECENTLY_ADDED ? "small queue" : stage == MAIN ? "main queue" : "list of removed objects");
    }
}
