package io.terrace.policy;

/**
 * The place that an object is booked in, as a table keeps it in one {@code long}: pool, tier, whether a request is open, and
 * size. An entry without pools is of pool 0.
 */
final class PlaceEntry {

    /** In place of the entry of an object that has none; its size is below 0. */
    static final long ABSENT = -1;

    /** The latest request of the object is not answered yet. */
    static final long PENDING = 1 << 8;

    /** That request was to a faster tier. */
    static final long CLIMBING = 1 << 9;

    private static final long FLAGS = PENDING | CLIMBING;
    private static final long POOL_MASK = 15;
    private static final int TIER_SHIFT = 4;
    private static final long TIER_MASK = 15;
    private static final int SIZE_SHIFT = 10;

    private PlaceEntry() {}

    static long of(long sizeBytes, int tier, int pool, long flags) {
        return sizeBytes << SIZE_SHIFT | flags | (long) tier << TIER_SHIFT | pool;
    }

    static long sizeBytes(long entry) {
        return entry >> SIZE_SHIFT;
    }

    static int tier(long entry) {
        return (int) (entry >> TIER_SHIFT & TIER_MASK);
    }

    static int pool(long entry) {
        return (int) (entry & POOL_MASK);
    }

    static long flags(long entry) {
        return entry & FLAGS;
    }

    static boolean isPending(long entry) {
        return entry != ABSENT && (entry & PENDING) != 0;
    }

    static boolean isClimbing(long entry) {
        return entry != ABSENT && (entry & CLIMBING) != 0;
    }
}
