package io.terrace.datanode.write;

import java.util.concurrent.TimeUnit;

/**
 * How long a replica's writer may wait for the next DataNode: it is earned by data, and a little can be saved. So one that is
 * slower than a quarter of a gigabyte a second soon leaves none. Used by one thread.
 */
final class WaitCredit {
    private static final long NS_PER_BYTE = 4;

    /** As long as a process on a busy host may wait for a processor. */
    private static final long MOST_NS = TimeUnit.MILLISECONDS.toNanos(32);

    private final long mostNs;
    private long leftNs;

    WaitCredit() {
        this(MOST_NS);
    }

    /** @param mostNs that can be saved; all of it is there at the beginning */
    WaitCredit(long mostNs) {
        this.mostNs = mostNs;
        this.leftNs = mostNs;
    }

    /** So much data is to be sent. */
    void earn(int bytes) {
        leftNs = Math.min(mostNs, leftNs + bytes * NS_PER_BYTE);
    }

    /** The writer has waited for so long. */
    void spend(long ns) {
        leftNs -= ns;
    }

    /** In milliseconds, as a selector takes it; zero where there is none. */
    long leftMs() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(leftNs));
    }
}
