package io.terrace.datanode.extent;

import org.jspecify.annotations.Nullable;

/**
 * Removes the files of doomed extents, without the lock under which their table is used. Whatever happens to one, it stays
 * doomed and counts as used until its file is gone, and the others are removed.
 */
final class ExtentReaper {

    private final Object lock;
    private final ExtentTable table;
    private final ExtentFiles files;

    ExtentReaper(Object lock, ExtentTable table, ExtentFiles files) {
        this.lock = lock;
        this.table = table;
        this.files = files;
    }

    /** Removes all that are due; how many are gone. What one threw is thrown again once all had their turn. */
    int run(long nowNs) {
        int removed = 0;
        Throwable fault = null;
        for (Extent extent = next(); extent != null; extent = next()) {
            boolean gone = false;
            try {
                // The next process verifies and adopts what a shutdown leaves.
                gone = extent.cause == RetireCause.SHUTDOWN || files.remove(extent, !extent.passed);
            } catch (RuntimeException | Error e) {
                fault = fault == null ? e : fault;
            } finally {
                settle(extent, gone, nowNs);
            }
            removed += gone ? 1 : 0;
        }
        if (fault instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (fault instanceof Error error) {
            throw error;
        }
        return removed;
    }

    private @Nullable Extent next() {
        synchronized (lock) {
            return table.nextDoomed();
        }
    }

    private void settle(Extent extent, boolean gone, long nowNs) {
        synchronized (lock) {
            if (gone) {
                table.freed(extent, nowNs);
            } else {
                table.notRemoved(extent, nowNs);
            }
        }
    }
}
