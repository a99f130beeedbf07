package io.terrace.datanode.heartbeat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was read and written of each block of one pool since a heartbeat last carried it.
 *
 * <p>Bounded: beyond its limit the block that was added first is forgotten, and counted. Thread-safe; recording allocates
 * only for a block that is new since the last heartbeat.
 */
public final class HeatTable {

    /**
     * One block's accesses.
     *
     * @param replica reads of the replica that were timed
     * @param memory reads of the memory copy that were timed
     * @param readers where readers were, as far as it is known
     */
    public record Heat(
            long blockId,
            long reads,
            long bytesRead,
            long bytesReadFromMemory,
            long writes,
            long bytesWritten,
            long lastNs,
            Timed replica,
            Timed memory,
            List<Reader> readers) {}

    /**
     * Reads by clients of one host.
     *
     * @param host its address; {@link io.terrace.channel.server.Peer#THIS_HOST} for the DataNode's own
     */
    public record Reader(String host, long reads) {}

    /** Reads that were timed, their bytes, and how long they took. */
    public record Timed(long reads, long bytes, long ns) {

        static final Timed NONE = new Timed(0, 0, 0);

        Timed plus(Timed other) {
            return new Timed(reads + other.reads, bytes + other.bytes, ns + other.ns);
        }
    }

    private static final class Entry {
        long reads;
        long bytesRead;
        long bytesReadFromMemory;
        long writes;
        long bytesWritten;
        long lastNs;
        long replicaReads;
        long replicaBytes;
        long replicaNs;
        long memoryReads;
        long memoryBytes;
        long memoryNs;

        @Nullable
        ReaderCounts readers;

        Timed replica() {
            return replicaReads == 0 ? Timed.NONE : new Timed(replicaReads, replicaBytes, replicaNs);
        }

        Timed memory() {
            return memoryReads == 0 ? Timed.NONE : new Timed(memoryReads, memoryBytes, memoryNs);
        }

        void readBy(String host, long itsReads) {
            ReaderCounts counts = readers;
            if (counts == null) {
                counts = new ReaderCounts();
                readers = counts;
            }
            counts.add(host, itsReads);
        }

        List<Reader> readers() {
            ReaderCounts counts = readers;
            return counts == null ? List.of() : counts.list();
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
    }

    private final int most;
    private final Map<Long, Entry> entries = new LinkedHashMap<>();
    private long dropped;
    private volatile boolean tellsReaders;

    /** An empty table for at most so many blocks. */
    public HeatTable(int most) {
        this.most = most;
    }

    /** Whether the service wants to know where readers are. */
    public boolean tellsReaders() {
        return tellsReaders;
    }

    void tellReaders(boolean wanted) {
        tellsReaders = wanted;
    }

    /**
     * Counts reads; answers whether the block is new since the last heartbeat.
     *
     * @param reader the host of whoever read; null if it is not known or nobody wants to know
     */
    public synchronized boolean read(
            long blockId, long reads, long bytes, long bytesFromMemory, long nowNs, @Nullable String reader) {
        int before = entries.size();
        Entry entry = entry(blockId);
        entry.reads += reads;
        entry.bytesRead += bytes;
        entry.bytesReadFromMemory += bytesFromMemory;
        entry.lastNs = nowNs;
        if (reader != null && tellsReaders) {
            entry.readBy(reader, reads);
        }
        return entries.size() > before;
    }

    /** Counts the end of a read that was counted as it began; answers whether the block is new since the last heartbeat. */
    public synchronized boolean readEnded(long blockId, long bytes, boolean fromMemory, long tookNs, long nowNs) {
        int before = entries.size();
        Entry entry = entry(blockId);
        entry.bytesRead += bytes;
        entry.bytesReadFromMemory += fromMemory ? bytes : 0;
        entry.lastNs = nowNs;
        entry.timed(fromMemory, 1, bytes, tookNs);
        return entries.size() > before;
    }

    /** Counts a finished write. */
    public synchronized void written(long blockId, long bytes, long nowNs) {
        Entry entry = entry(blockId);
        entry.writes++;
        entry.bytesWritten += bytes;
        entry.lastNs = nowNs;
    }

    /** Takes out at most so many blocks, oldest first. */
    public synchronized List<Heat> drain(int mostBlocks) {
        List<Heat> drained = new ArrayList<>(Math.min(mostBlocks, entries.size()));
        Iterator<Map.Entry<Long, Entry>> all = entries.entrySet().iterator();
        while (all.hasNext() && drained.size() < mostBlocks) {
            Map.Entry<Long, Entry> next = all.next();
            Entry e = next.getValue();
            drained.add(new Heat(
                    next.getKey(),
                    e.reads,
                    e.bytesRead,
                    e.bytesReadFromMemory,
                    e.writes,
                    e.bytesWritten,
                    e.lastNs,
                    e.replica(),
                    e.memory(),
                    e.readers()));
            all.remove();
        }
        return drained;
    }

    /** Puts back what could not be delivered. */
    public synchronized void restore(List<Heat> undelivered) {
        for (Heat heat : undelivered) {
            Entry entry = entry(heat.blockId());
            entry.reads += heat.reads();
            entry.bytesRead += heat.bytesRead();
            entry.bytesReadFromMemory += heat.bytesReadFromMemory();
            entry.writes += heat.writes();
            entry.bytesWritten += heat.bytesWritten();
            entry.timed(
                    false,
                    heat.replica().reads(),
                    heat.replica().bytes(),
                    heat.replica().ns());
            entry.timed(
                    true,
                    heat.memory().reads(),
                    heat.memory().bytes(),
                    heat.memory().ns());
            heat.readers().forEach(reader -> entry.readBy(reader.host(), reader.reads()));
            if (entry.lastNs == 0 || entry.lastNs - heat.lastNs() < 0) {
                entry.lastNs = heat.lastNs();
            }
        }
    }

    /** Blocks in it. */
    public synchronized int size() {
        return entries.size();
    }

    /** Takes out how many blocks were forgotten since this was last asked. */
    public synchronized long takeDropped() {
        long taken = dropped;
        dropped = 0;
        return taken;
    }

    private Entry entry(long blockId) {
        Entry entry = entries.get(blockId);
        if (entry == null) {
            if (entries.size() >= most) {
                Iterator<Long> oldest = entries.keySet().iterator();
                oldest.next();
                oldest.remove();
                dropped++;
            }
            entry = new Entry();
            entries.put(blockId, entry);
        }
        return entry;
    }
}
