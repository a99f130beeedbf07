package io.terrace.datanode.extent;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Extents whose files are to be removed. A file that could not be is tried again after a second, {@value #MOST_AGAIN} of
 * them at a time, so that a device on which nothing can be removed is not asked for all of them in each turn.
 *
 * <p>Not thread-safe: owned by {@link ExtentTable}.
 */
final class RemovalQueue {

    static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);
    static final int MOST_AGAIN = 256;

    private final Set<Extent> due = new LinkedHashSet<>();
    private final ArrayDeque<Extent> failed = new ArrayDeque<>();
    private long againNs;

    void add(Extent extent) {
        due.add(extent);
    }

    /** The file of this one is still there. */
    void failed(Extent extent, long nowNs) {
        if (failed.isEmpty()) {
            againNs = nowNs + AGAIN_NS;
        }
        failed.addLast(extent);
    }

    /** A turn begins: what failed long enough ago is due again. */
    void turn(long nowNs) {
        if (failed.isEmpty() || nowNs - againNs < 0) {
            return;
        }
        againNs = nowNs + AGAIN_NS;
        for (int i = 0; i < MOST_AGAIN && !failed.isEmpty(); i++) {
            due.add(failed.removeFirst());
        }
    }

    @Nullable
    Extent next() {
        Iterator<Extent> first = due.iterator();
        if (!first.hasNext()) {
            return null;
        }
        Extent next = first.next();
        first.remove();
        return next;
    }

    /** Takes this one out; null if it is not due. */
    @Nullable
    Extent take(Extent extent) {
        return due.remove(extent) ? extent : null;
    }
}
