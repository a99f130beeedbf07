package io.terrace.policy.cache;

import it.unimi.dsi.fastutil.HashCommon;

/**
 * Counts of a stream of ids in a fixed table: four 4-bit counters per id in as many rows, the least of which is the
 * estimate. All counters are halved when ten times as many ids were counted as the caller has room for, so old interest
 * fades.
 *
 * <p>An estimate is never below the true count since the last halving (up to 15), and above it by collisions only. With a
 * word for each object that there is room for, three in four ids that were never counted have an estimate of 1 or more when
 * halving is due, which is enough to compare two; with four words, one in twenty. Source: Cormode, Muthukrishnan, 2005
 * (count-min); Einziger et al., ACM ToS 13/4, 2017 (TinyLFU). Caffeine's own sketch is not public, and its cache keeps
 * itself in order on other threads, while a replay must come to the same result each time.
 */
public final class FrequencySketch {

    private static final long HALF_MASK = 0x7777777777777777L;
    private static final int SAMPLE_FACTOR = 10;

    /** Empty before the first id is counted: many a policy never counts one. */
    private long[] table = {};

    private final int mask;
    private long counted;

    /** @param expectedIds ids to tell apart; a table of that many words, rounded up to a power of two, is used */
    public FrequencySketch(int expectedIds) {
        mask = Integer.highestOneBit(Math.max(16, Math.min(expectedIds, 1 << 26)) * 2 - 1) - 1;
    }

    /**
     * Counts an id.
     *
     * @param room objects the caller has room for at present; no more than the table's words count
     */
    public void add(long id, int room) {
        if (table.length == 0) {
            table = new long[mask + 1];
        }
        long hash = HashCommon.murmurHash3(id);
        boolean added = false;
        for (int row = 0; row < 4; row++) {
            int shift = shift(hash, row);
            int at = at(hash, row);
            if ((table[at] >>> shift & 15) < 15) {
                table[at] += 1L << shift;
                added = true;
            }
        }
        if (added && ++counted >= (long) SAMPLE_FACTOR * Math.max(16, Math.min(room, table.length))) {
            halve();
        }
    }

    public int estimate(long id) {
        if (table.length == 0) {
            return 0;
        }
        long hash = HashCommon.murmurHash3(id);
        int least = 15;
        for (int row = 0; row < 4; row++) {
            least = Math.min(least, (int) (table[at(hash, row)] >>> shift(hash, row) & 15));
        }
        return least;
    }

    private void halve() {
        for (int i = 0; i < table.length; i++) {
            table[i] = table[i] >>> 1 & HALF_MASK;
        }
        counted /= 2;
    }

    private int at(long hash, int row) {
        return (int) (HashCommon.murmurHash3(hash + row * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    }

    private static int shift(long hash, int row) {
        return (int) (hash >>> (8 * row) & 3) * 16 + row * 4;
    }

    public long memoryBytes() {
        return 8L * table.length;
    }
}
