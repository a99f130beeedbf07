package io.terrace.datanode.heartbeat;

import io.terrace.common.BlockVersion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one placement service has yet to be told about copies that came and went.
 *
 * <p>One entry for each block, the latest. Bounded: when it overflows, or a delivery failed, everything is told anew.
 * Thread-safe.
 */
public final class ResidencyLog {

    /** A copy that is in memory, or no longer. */
    public record Entry(BlockVersion block, boolean resident, boolean pinned) {}

    /** A part of what is to be told; {@code full} when it is the first part of everything. */
    public record Page(boolean full, List<Entry> entries) {}

    private final int most;
    private final Map<Long, Entry> pending = new LinkedHashMap<>();
    private boolean fullWanted = true;
    private int limit;

    /** Holds at most so many changes beside everything that it was told of; begins with everything. */
    public ResidencyLog(int most) {
        this.most = most;
        this.limit = most;
    }

    /** The latest about one block. */
    public synchronized void add(Entry entry) {
        if (fullWanted) {
            return;
        }
        pending.remove(entry.block().key().blockId());
        pending.put(entry.block().key().blockId(), entry);
        if (pending.size() > limit) {
            wantFull();
        }
    }

    /** Everything must be told anew. */
    public synchronized void wantFull() {
        pending.clear();
        fullWanted = true;
    }

    /** Whether there is something to tell. */
    public synchronized boolean hasUnsent() {
        return fullWanted || !pending.isEmpty();
    }

    /** Whether the next page begins with everything, so that {@link #begin} must be called with it first. */
    public synchronized boolean isFullWanted() {
        return fullWanted;
    }

    /**
     * Lays everything out that is resident now. Nothing that changes from here on is lost, if the caller makes the list
     * under the lock that orders changes; the first page is marked.
     */
    public synchronized Page begin(List<Entry> everything, int pageEntries) {
        pending.clear();
        everything.forEach(entry -> pending.put(entry.block().key().blockId(), entry));
        // The full report does not count as changes, or a long one would start over at each change and never end.
        limit = pending.size() + most;
        fullWanted = false;
        return new Page(true, take(pageEntries));
    }

    /** The next page of changes. */
    public synchronized Page next(int pageEntries) {
        return new Page(false, take(pageEntries));
    }

    private List<Entry> take(int pageEntries) {
        List<Entry> page = new ArrayList<>(Math.min(pageEntries, pending.size()));
        Iterator<Entry> entries = pending.values().iterator();
        while (entries.hasNext() && page.size() < pageEntries) {
            page.add(entries.next());
            entries.remove();
        }
        return page;
    }
}
