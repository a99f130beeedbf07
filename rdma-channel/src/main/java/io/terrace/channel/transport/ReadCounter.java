package io.terrace.channel.transport;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the reads of one range as its readers see them: an operation that goes on where another ended belongs to the same
 * read, and adds bytes only. Thread-safe.
 */
public final class ReadCounter {
    /** Where the reads that are told apart have come to; more of them at one time than fit are counted too often. */
    private static final int READERS = 16;

    private final LongAdder reads = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final AtomicLongArray ends = new AtomicLongArray(READERS);

    public void count(long offset, int lengthBytes) {
        bytes.add(lengthBytes);
        long end = offset + lengthBytes;
        for (int i = 0; offset > 0 && i < READERS; i++) {
            if (ends.get(i) == offset && ends.compareAndSet(i, offset, end)) {
                return;
            }
        }
        reads.increment();
        ends.set((int) (reads.sum() % READERS), end);
    }

    /** Since the start. */
    public long reads() {
        return reads.sum();
    }

    /** Since the start. */
    public long bytes() {
        return bytes.sum();
    }
}
