package io.terrace.policy.firstread;

import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Learns which share of what is written to a directory is read within a time. An object that is written is awaited until it is
 * read or the time is over; both are outcomes of its group, the latest of which count most. Deleted objects count as not read.
 *
 * <p>A group says that its next object will be read where at least {@value #NEEDED} of its outcomes were reads, by objects and by
 * bytes, with one more object that was not read added for caution: so four reads of four are the least. What a copy that waits is
 * worth is told by the time for which the group's objects waited ({@link #worth}). Single-threaded.
 */
public final class FirstReadModel {

    static final double NEEDED = 0.8;

    /** For so long a write may be told again, as by each DataNode that has a replica. */
    static final long SAME_WRITE_MS = 10_000;

    /** What an outcome counts when the next one comes: about 30 of them matter. */
    private static final double FADING = 0.97;

    private final long withinMs;
    private final int mostAwaited;
    private final Map<String, Group> groups;
    /** In the order in which they were written. */
    private final Long2ObjectLinkedOpenHashMap<Awaited> awaited = new Long2ObjectLinkedOpenHashMap<>();

    /** Objects that were read so soon that their write may be told again, and when it was told first. */
    private final Long2LongLinkedOpenHashMap readAtOnce = new Long2LongLinkedOpenHashMap();

    private record Awaited(long sinceMs, long bytes, Group group) {}

    private static final class Group {
        double written;
        double read;
        double writtenBytes;
        double readBytes;
        /** Bytes, each times the milliseconds until its read, or until that was given up. */
        double waitedByteMs;

        /** Of what is awaited: bytes, and these times the moment of the write. */
        long awaitedBytes;

        double awaitedSinceByteMs;

        void await(long nowMs, long bytes) {
            awaitedBytes += bytes;
            awaitedSinceByteMs += (double) bytes * nowMs;
        }

        void outcome(long nowMs, long sinceMs, long bytes, boolean wasRead) {
            awaitedBytes -= bytes;
            awaitedSinceByteMs = awaitedBytes == 0 ? 0 : awaitedSinceByteMs - (double) bytes * sinceMs;
            waitedByteMs = waitedByteMs * FADING + (double) bytes * Math.max(1, nowMs - sinceMs);
            written = written * FADING + 1;
            read = read * FADING + (wasRead ? 1 : 0);
            writtenBytes = writtenBytes * FADING + bytes;
            readBytes = readBytes * FADING + (wasRead ? bytes : 0);
        }
    }

    /**
     * What is known of a group.
     *
     * @param outcomes how many objects it is learned from; earlier ones count for less
     * @param readShare of their bytes
     */
    public record Estimate(double outcomes, double readShare) {}

    /**
     * Knows nothing yet.
     *
     * @param withinMs a read after more time does not count
     * @param mostGroups beyond, the group longest without a write is forgotten
     * @param mostAwaited beyond, objects that are written teach nothing
     */
    public FirstReadModel(long withinMs, int mostGroups, int mostAwaited) {
        this.withinMs = withinMs;
        this.mostAwaited = mostAwaited;
        this.groups = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Group> eldest) {
                return size() > mostGroups;
            }
        };
    }

    /**
     * An object was written as a whole, which is awaited from now on; one that is awaited already stays so. What is told again
     * within {@value #SAME_WRITE_MS} ms, after its read, is the same write.
     */
    public void written(long nowMs, long object, long bytes, String group) {
        if (awaited.size() < mostAwaited && !knowsWriteOf(nowMs, object)) {
            Group known = groups.computeIfAbsent(group, name -> new Group());
            known.await(nowMs, bytes);
            awaited.put(object, new Awaited(nowMs, bytes, known));
        }
    }

    /** Whether the next object of a group will be read in time, as far as is known. */
    public boolean expects(String group, long bytes) {
        Group known = groups.get(group);
        return known != null
                && known.read >= NEEDED * (known.written + 1)
                && known.readBytes >= NEEDED * (known.writtenBytes + bytes);
    }

    /** An object was read; whether it was awaited. */
    public boolean read(long nowMs, long object) {
        expire(nowMs);
        Awaited was = awaited.remove(object);
        if (was != null) {
            was.group.outcome(nowMs, was.sinceMs, was.bytes, true);
            if (nowMs - was.sinceMs < SAME_WRITE_MS && readAtOnce.size() < mostAwaited) {
                readAtOnce.put(object, was.sinceMs);
            }
        }
        return was != null;
    }

    /** Whether an object that was written was not read since, and may be in time. */
    public boolean awaits(long nowMs, long object) {
        expire(nowMs);
        return awaited.containsKey(object);
    }

    /** Whether a write of the object is one that it was told of before. */
    public boolean knowsWriteOf(long nowMs, long object) {
        expire(nowMs);
        return awaited.containsKey(object) || readAtOnce.containsKey(object);
    }

    /** Takes note of objects that were not read in time. */
    public void expire(long nowMs) {
        while (!readAtOnce.isEmpty() && nowMs - readAtOnce.get(readAtOnce.firstLongKey()) >= SAME_WRITE_MS) {
            readAtOnce.removeFirstLong();
        }
        while (!awaited.isEmpty() && nowMs - awaited.get(awaited.firstLongKey()).sinceMs >= withinMs) {
            Awaited was = awaited.removeFirst();
            was.group.outcome(nowMs, was.sinceMs, was.bytes, false);
        }
    }

    /**
     * First reads for each byte that waits and each millisecond for which it does, as far as is known. What is awaited counts as it
     * has waited, so those that are never read show before their time is over.
     */
    public double worth(long nowMs, String group) {
        Group known = groups.get(group);
        if (known == null || known.read == 0) {
            return 0;
        }
        double waiting = Math.max(0, (double) known.awaitedBytes * nowMs - known.awaitedSinceByteMs);
        return known.read / Math.max(1, known.waitedByteMs + waiting);
    }

    /** Null where nothing was written yet. */
    public @Nullable Estimate estimate(String group) {
        Group known = groups.get(group);
        return known == null
                ? null
                : new Estimate(known.written, known.writtenBytes == 0 ? 0 : known.readBytes / known.writtenBytes);
    }
}
