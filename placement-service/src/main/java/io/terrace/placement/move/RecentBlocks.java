package io.terrace.placement.move;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;

/**
 * Ids of blocks, each for at least half of a time and at most the whole. They are kept in two halves, and the older one is dropped
 * as a whole, so none costs more than its entry. With many ids a half is dropped before its time. Single-threaded.
 */
final class RecentBlocks {

    private final long halfMs;
    private final int mostInHalf;
    private LongOpenHashSet newer = new LongOpenHashSet();
    private LongOpenHashSet older = new LongOpenHashSet();
    private long begunMs = Long.MIN_VALUE;

    /**
     * @param keptMs for so long at most an id is kept
     * @param most ids that are kept
     */
    RecentBlocks(long keptMs, int most) {
        this.halfMs = keptMs / 2;
        this.mostInHalf = most / 2;
    }

    void add(long nowMs, long blockId) {
        expire(nowMs);
        if (newer.size() >= mostInHalf) {
            turnOver(nowMs);
        }
        newer.add(blockId);
    }

    boolean contains(long nowMs, long blockId) {
        expire(nowMs);
        return newer.contains(blockId) || older.contains(blockId);
    }

    void remove(long blockId) {
        newer.remove(blockId);
        older.remove(blockId);
    }

    private void expire(long nowMs) {
        if (begunMs == Long.MIN_VALUE) {
            begunMs = nowMs;
        } else if (nowMs - begunMs >= 2 * halfMs) {
            newer.clear();
            turnOver(nowMs);
        } else if (nowMs - begunMs >= halfMs) {
            turnOver(begunMs + halfMs);
        }
    }

    private void turnOver(long sinceMs) {
        LongOpenHashSet dropped = older;
        dropped.clear();
        older = newer;
        newer = dropped;
        begunMs = sinceMs;
    }
}
