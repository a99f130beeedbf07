package io.terrace.datanode.heartbeat;

import io.terrace.datanode.heartbeat.HeatTable.Heat;
import io.terrace.datanode.heartbeat.HeatTable.Reader;
import io.terrace.datanode.heartbeat.HeatTable.Timed;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A part of the blocks of a {@link HeatTable}: a hash table by block id whose entries are chained in the order in which they were
 * added. Its own monitor guards it and its entries; whoever counts holds it.
 */
final class HeatStripe {
    private static final int LEAST_BUCKETS = 16;
    private static final int MOST_BUCKETS_AT_FIRST = 1024;

    /** One block's accesses. */
    static final class Entry {
        private final long blockId;
        private long lastNs;
        private boolean counted;
        long reads;
        long bytesRead;
        long bytesReadFromMemory;
        long writes;
        long bytesWritten;
        private long replicaReads;
        private long replicaBytes;
        private long replicaNs;
        private long memoryReads;
        private long memoryBytes;
        private long memoryNs;

        private @Nullable ReaderCounts readers;
        private @Nullable Entry inBucket;

        /** That was added after this one. */
        @Nullable
        Entry next;

        private Entry(long blockId) {
            this.blockId = blockId;
        }

        /** Whether nothing was counted yet. */
        boolean isNew() {
            return !counted;
        }

        void usedAt(long nowNs) {
            counted = true;
            lastNs = nowNs;
        }

        void readBy(String host, long itsReads) {
            ReaderCounts counts = readers;
            if (counts == null) {
                counts = new ReaderCounts();
                readers = counts;
            }
            counts.add(host, itsReads);
        }

        void timed(boolean fromMemory, long timedReads, long bytes, long ns) {
            if (fromMemory) {
                memoryReads += timedReads;
                memoryBytes += bytes;
                memoryNs += ns;
            } else {
                replicaReads += timedReads;
                replicaBytes += bytes;
                replicaNs += ns;
            }
        }

        Heat heat() {
            ReaderCounts counts = readers;
            List<Reader> hosts = counts == null ? List.of() : counts.list();
            return new Heat(
                    blockId,
                    reads,
                    bytesRead,
                    bytesReadFromMemory,
                    writes,
                    bytesWritten,
                    lastNs,
                    replicaReads == 0 ? Timed.NONE : new Timed(replicaReads, replicaBytes, replicaNs),
                    memoryReads == 0 ? Timed.NONE : new Timed(memoryReads, memoryBytes, memoryNs),
                    hosts);
        }

        void add(Heat heat) {
            reads += heat.reads();
            bytesRead += heat.bytesRead();
            bytesReadFromMemory += heat.bytesReadFromMemory();
            writes += heat.writes();
            bytesWritten += heat.bytesWritten();
            timed(
                    false,
                    heat.replica().reads(),
                    heat.replica().bytes(),
                    heat.replica().ns());
            timed(
                    true,
                    heat.memory().reads(),
                    heat.memory().bytes(),
                    heat.memory().ns());
            heat.readers().forEach(reader -> readBy(reader.host(), reader.reads()));
            if (!counted || lastNs - heat.lastNs() < 0) {
                usedAt(heat.lastNs());
            }
        }
    }

    private final int most;
    private final AtomicInteger sizeOfAll;
    private final AtomicLong dropped;
    private @Nullable Entry[] buckets = new Entry[LEAST_BUCKETS];
    private @Nullable Entry first;
    private @Nullable Entry last;
    private int size;

    /**
     * An empty stripe for at most so many blocks.
     *
     * @param sizeOfAll blocks of all stripes
     * @param dropped blocks that were forgotten
     */
    HeatStripe(int most, AtomicInteger sizeOfAll, AtomicLong dropped) {
        this.most = most;
        this.sizeOfAll = sizeOfAll;
        this.dropped = dropped;
    }

    /** The number that says where a block is: ids of a file follow each other, so their low bits alone would do as well. */
    static long spread(long blockId) {
        return blockId * 0x9E37_79B9_7F4A_7C15L;
    }

    /** The entry of a block, which is added where it is not there. */
    Entry entry(long blockId) {
        int bucket = bucket(blockId, buckets.length);
        for (Entry e = buckets[bucket]; e != null; e = e.inBucket) {
            if (e.blockId == blockId) {
                return e;
            }
        }
        if (size >= most && removeFirst() != null) {
            dropped.incrementAndGet();
        }
        if (size >= buckets.length) {
            grow();
        }
        Entry added = new Entry(blockId);
        chain(added, buckets);
        Entry before = last;
        if (before == null) {
            first = added;
        } else {
            before.next = added;
        }
        last = added;
        size++;
        sizeOfAll.incrementAndGet();
        return added;
    }

    /** Takes out the first of so many entries at most; the others follow it. */
    synchronized @Nullable Entry take(int mostBlocks) {
        Entry taken = first;
        if (size <= mostBlocks) {
            sizeOfAll.addAndGet(-size);
            first = null;
            last = null;
            buckets = new Entry[Math.min(buckets.length, MOST_BUCKETS_AT_FIRST)];
            size = 0;
            return taken;
        }
        Entry lastTaken = null;
        for (int i = 0; i < mostBlocks; i++) {
            lastTaken = removeFirst();
        }
        if (lastTaken == null) {
            return null;
        }
        lastTaken.next = null;
        return taken;
    }

    private @Nullable Entry removeFirst() {
        Entry removed = first;
        if (removed == null) {
            return null;
        }
        int bucket = bucket(removed.blockId, buckets.length);
        Entry before = buckets[bucket];
        if (before == removed) {
            buckets[bucket] = removed.inBucket;
        } else {
            while (before != null && before.inBucket != removed) {
                before = before.inBucket;
            }
            if (before != null) {
                before.inBucket = removed.inBucket;
            }
        }
        first = removed.next;
        if (first == null) {
            last = null;
        }
        size--;
        sizeOfAll.decrementAndGet();
        return removed;
    }

    private void grow() {
        @Nullable Entry[] larger = new Entry[buckets.length * 2];
        for (Entry e = first; e != null; e = e.next) {
            chain(e, larger);
        }
        buckets = larger;
    }

    private static void chain(Entry entry, @Nullable Entry[] into) {
        int bucket = bucket(entry.blockId, into.length);
        entry.inBucket = into[bucket];
        into[bucket] = entry;
    }

    private static int bucket(long blockId, int buckets) {
        return (int) (spread(blockId) >>> 40) & (buckets - 1);
    }
}
