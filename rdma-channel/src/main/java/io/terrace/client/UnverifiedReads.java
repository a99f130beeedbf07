package io.terrace.client;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that this process read from memory for callers who want no checksums verified. HBase is one: it has checksums of
 * its own, and if they differ it reads again with those of HDFS. Memory would give it the same bytes again.
 *
 * <p>Of all blocks with one residue the last is remembered. HDFS numbers blocks upwards, so {@link #PLACES} successive ones
 * have a place each. Thread-safe; neither call allocates, but for the first block, nor locks.
 */
final class UnverifiedReads {
    static final int PLACES = 1 << 16;

    /** Null until the first: most processes have all verified. */
    private volatile @Nullable AtomicLongArray places;

    /** This block is read so. */
    void add(long blockId) {
        AtomicLongArray known = places;
        if (known == null) {
            known = made();
        }
        int place = place(blockId);
        if (known.getPlain(place) != blockId) {
            known.set(place, blockId);
        }
    }

    /** Whether this block was. */
    boolean contain(long blockId) {
        AtomicLongArray known = places;
        return known != null && known.get(place(blockId)) == blockId;
    }

    private synchronized AtomicLongArray made() {
        AtomicLongArray known = places;
        if (known == null) {
            known = new AtomicLongArray(PLACES);
            places = known;
        }
        return known;
    }

    private static int place(long blockId) {
        return (int) (blockId & (PLACES - 1));
    }
}
