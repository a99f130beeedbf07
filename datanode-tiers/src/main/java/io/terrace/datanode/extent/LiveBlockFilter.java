package io.terrace.datanode.extent;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Tells without a lock that no extent of a block is live: a counting Bloom filter with one hash. Of eight places for each extent
 * that there may be, at most an eighth is taken, so seven of eight blocks that are not there are known not to be.
 *
 * <p>Thread-safe. An extent that becomes live or ends meanwhile may be missed or found, as if it had been asked a moment before.
 */
final class LiveBlockFilter {
    private static final int PLACES_PER_EXTENT = 8;

    /** A megabyte, so more than 32,768 extents have fewer places each. */
    private static final int MOST_PLACES = 1 << 18;

    private final AtomicIntegerArray counts;
    private final int shift;

    LiveBlockFilter(int extents) {
        int wanted = (int) Math.min(MOST_PLACES, Math.max(64L, (long) extents * PLACES_PER_EXTENT));
        int bits = 32 - Integer.numberOfLeadingZeros(wanted - 1);
        this.counts = new AtomicIntegerArray(1 << bits);
        this.shift = Long.SIZE - bits;
    }

    boolean mayContain(long blockId) {
        return counts.get(place(blockId)) != 0;
    }

    void add(long blockId) {
        counts.incrementAndGet(place(blockId));
    }

    void remove(long blockId) {
        counts.decrementAndGet(place(blockId));
    }

    private int place(long blockId) {
        return (int) (blockId * 0x9E37_79B9_7F4A_7C15L >>> shift);
    }
}
