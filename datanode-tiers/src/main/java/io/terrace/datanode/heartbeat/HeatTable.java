package io.terrace.datanode.heartbeat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What was read and written of each block of one pool since a heartbeat last carried it.
 *
 * <p>Bounded: beyond its limit a block that was added early is forgotten, and counted. Thread-safe; recording allocates
 * only for a block that is new since the last heartbeat.
 *
 * <p>Readers of a DataNode record at the same time, and most blocks are new. So blocks are spread over stripes with a lock each,
 * and a stripe's whole content is taken out of it in one step when a heartbeat carries it.
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

    private static final int STRIPES = 16;

    /** A smaller table is one stripe, so that its limit is exact. */
    private static final int STRIPED_FROM = 4096;

    private final HeatStripe[] stripes;
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean tellsReaders;

    /** Where the next page begins, so that each stripe has its turn. */
    private int nextStripe;

    /** An empty table for at most so many blocks. */
    public HeatTable(int most) {
        this.stripes = new HeatStripe[most < STRIPED_FROM ? 1 : STRIPES];
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = new HeatStripe(most / stripes.length, size, dropped);
        }
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
    public boolean read(
            long blockId, long reads, long bytes, long bytesFromMemory, long nowNs, @Nullable String reader) {
        HeatStripe stripe = stripe(blockId);
        synchronized (stripe) {
            HeatStripe.Entry entry = stripe.entry(blockId);
            boolean isNew = entry.isNew();
            entry.reads += reads;
            entry.bytesRead += bytes;
            entry.bytesReadFromMemory += bytesFromMemory;
            entry.usedAt(nowNs);
            if (reader != null && tellsReaders) {
                entry.readBy(reader, reads);
            }
            return isNew;
        }
    }

    /** Counts the end of a read that was counted as it began; answers whether the block is new since the last heartbeat. */
    public boolean readEnded(long blockId, long bytes, boolean fromMemory, long tookNs, long nowNs) {
        HeatStripe stripe = stripe(blockId);
        synchronized (stripe) {
            HeatStripe.Entry entry = stripe.entry(blockId);
            boolean isNew = entry.isNew();
            entry.bytesRead += bytes;
            entry.bytesReadFromMemory += fromMemory ? bytes : 0;
            entry.usedAt(nowNs);
            entry.timed(fromMemory, 1, bytes, tookNs);
            return isNew;
        }
    }

    /** Counts a finished write. */
    public void written(long blockId, long bytes, long nowNs) {
        HeatStripe stripe = stripe(blockId);
        synchronized (stripe) {
            HeatStripe.Entry entry = stripe.entry(blockId);
            entry.writes++;
            entry.bytesWritten += bytes;
            entry.usedAt(nowNs);
        }
    }

    /** Takes out at most so many blocks, of each stripe those first that were added first. */
    public synchronized List<Heat> drain(int mostBlocks) {
        List<Heat> drained = new ArrayList<>(Math.min(mostBlocks, size.get()));
        for (int i = 0; i < stripes.length && drained.size() < mostBlocks; i++) {
            // Nobody else has what was taken out, so the records are made without the lock.
            for (HeatStripe.Entry e = stripes[nextStripe].take(mostBlocks - drained.size()); e != null; e = e.next) {
                drained.add(e.heat());
            }
            if (drained.size() < mostBlocks) {
                nextStripe = (nextStripe + 1) % stripes.length;
            }
        }
        return drained;
    }

    /** Puts back what could not be delivered. */
    public void restore(List<Heat> undelivered) {
        for (Heat heat : undelivered) {
            HeatStripe stripe = stripe(heat.blockId());
            synchronized (stripe) {
                stripe.entry(heat.blockId()).add(heat);
            }
        }
    }

    /** Blocks in it. */
    public int size() {
        return size.get();
    }

    /** Takes out how many blocks were forgotten since this was last asked. */
    public long takeDropped() {
        return dropped.getAndSet(0);
    }

    private HeatStripe stripe(long blockId) {
        return stripes[(int) (HeatStripe.spread(blockId) >>> 32) & (stripes.length - 1)];
    }
}
