package io.terrace.datanode.extent;

import org.jspecify.annotations.Nullable;

/**
 * Removes the files of extents that nobody reads any more, without the lock under which their table is used. An extent whose
 * file cannot be removed counts as used until it is; the others are removed all the same.
 */
final class ExtentReaper {

    /**
     * Bytes that one turn removes, where a file counts as {@value #FILE_BYTES} at least: less than 0.1 s, since tmpfs frees a
     * GB in 0.13 s. Its caller writes the heartbeat of the table between two turns, without which clients leave.
     */
    static final long MOST_BYTES = 512L << 20;

    static final long FILE_BYTES = 1 << 20;

    private final Object lock;
    private final ExtentTable table;
    private final ExtentFiles files;

    ExtentReaper(Object lock, ExtentTable table, ExtentFiles files) {
        this.lock = lock;
        this.table = table;
        this.files = files;
    }

    /** Removes those that are due, as many as fit in a turn; how many are gone. What one threw is thrown again after that. */
    int run(long nowNs) {
        int count = 0;
        Throwable fault = null;
        long leftBytes = MOST_BYTES;
        for (Extent extent = next(); extent != null; extent = leftBytes > 0 ? next() : null) {
            leftBytes -= Math.max(FILE_BYTES, extent.lengthBytes());
            try {
                count += remove(extent, nowNs) ? 1 : 0;
            } catch (RuntimeException | Error e) {
                fault = fault == null ? e : fault;
            }
        }
        rethrow(fault);
        return count;
    }

    /** Removes the file of this one, if it is due. */
    void run(Extent extent, long nowNs) {
        Extent due;
        synchronized (lock) {
            due = table.removalOf(extent);
        }
        if (due != null) {
            remove(due, nowNs);
        }
    }

    private boolean remove(Extent extent, long nowNs) {
        boolean gone = false;
        try {
            // The next process verifies and adopts what a shutdown leaves.
            gone = extent.cause == RetireCause.SHUTDOWN || files.remove(extent, !extent.passed);
        } finally {
            removed(extent, gone, nowNs);
        }
        return gone;
    }

    /** Throws what one of many threw, once all had their turn. */
    static void rethrow(@Nullable Throwable fault) {
        if (fault instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (fault instanceof Error error) {
            throw error;
        }
    }

    private @Nullable Extent next() {
        synchronized (lock) {
            return table.nextRemoval();
        }
    }

    private void removed(Extent extent, boolean gone, long nowNs) {
        synchronized (lock) {
            if (gone) {
                table.freed(extent, nowNs);
            } else {
                table.notRemoved(extent, nowNs);
            }
        }
    }
}
