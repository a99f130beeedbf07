package io.terrace.placement.journal;

/**
 * The hottest of many blocks, a bounded number of them, in 16 bytes each: a heap with the coldest on top. Heat is compared
 * as of one moment, as a logarithm, since after a night the decayed number would be zero.
 */
final class HottestHeat {

    private final double halfLifeMs;
    private final double[] ranks;
    private final long[] ids;
    private int size;

    HottestHeat(int most, long halfLifeMs) {
        this.halfLifeMs = halfLifeMs;
        this.ranks = new double[most];
        this.ids = new long[most];
    }

    /** @param heat decayed reads as of {@code lastMs} */
    void add(long blockId, float heat, long lastMs) {
        if (heat <= 0) {
            return;
        }
        double rank = Math.log(heat) / Math.log(2) + lastMs / halfLifeMs;
        if (size < ids.length) {
            rise(size++, rank, blockId);
        } else if (size > 0 && rank > ranks[0]) {
            sink(rank, blockId);
        }
    }

    private void rise(int from, double rank, long id) {
        int at = from;
        while (at > 0 && ranks[(at - 1) / 2] > rank) {
            set(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        put(at, rank, id);
    }

    private void sink(double rank, long id) {
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child + 1 < size && ranks[child + 1] < ranks[child]) {
                child++;
            }
            if (child >= size || ranks[child] >= rank) {
                break;
            }
            set(at, child);
            at = child;
        }
        put(at, rank, id);
    }

    private void set(int to, int from) {
        put(to, ranks[from], ids[from]);
    }

    private void put(int at, double rank, long id) {
        ranks[at] = rank;
        ids[at] = id;
    }

    /** The ids, hottest first; this object is empty afterwards. */
    long[] takeHottestFirst() {
        long[] sorted = new long[size];
        for (int i = size - 1; i >= 0; i--) {
            sorted[i] = ids[0];
            size--;
            if (size > 0) {
                sink(ranks[size], ids[size]);
            }
        }
        return sorted;
    }
}
