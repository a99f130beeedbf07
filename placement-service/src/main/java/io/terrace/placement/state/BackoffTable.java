package io.terrace.placement.state;

import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;

/**
 * Blocks that failed recently in one respect, and until when they are left alone: one second after the first failure,
 * twice as long after each further one, five minutes at most. Remembers the {@value #MOST_BLOCKS} latest.
 *
 * <p>Owned by one thread.
 */
public final class BackoffTable {

    static final int MOST_BLOCKS = 4096;
    public static final long FIRST_MS = 1000;
    static final long LONGEST_MS = 300_000;

    private record Penalty(int failures, long untilMs) {}

    private final Long2ObjectLinkedOpenHashMap<Penalty> penalties = new Long2ObjectLinkedOpenHashMap<>(0);

    public void failed(long nowMs, long blockId) {
        Penalty before = penalties.remove(blockId);
        int failures = before == null ? 1 : Math.min(before.failures + 1, 16);
        penalties.put(blockId, new Penalty(failures, nowMs + Math.min(LONGEST_MS, FIRST_MS << (failures - 1))));
        if (penalties.size() > MOST_BLOCKS) {
            penalties.removeFirst();
        }
    }

    public void succeeded(long blockId) {
        penalties.remove(blockId);
    }

    public boolean holdsBack(long nowMs, long blockId) {
        return untilMs(blockId) > nowMs;
    }

    /** When the block may be tried again; 0 if it never failed. */
    public long untilMs(long blockId) {
        Penalty penalty = penalties.isEmpty() ? null : penalties.get(blockId);
        return penalty == null ? 0 : penalty.untilMs;
    }
}
