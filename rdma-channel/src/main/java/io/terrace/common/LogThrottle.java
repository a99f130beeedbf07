package io.terrace.common;

import org.jspecify.annotations.Nullable;

/** Bounds the log lines about one kind of event: lets one through in a given time and counts the others. Thread-safe. */
public final class LogThrottle {
    private final long everyNs;
    private boolean any;
    private long lastNs;
    private long left;

    /** Lets the first through, and one in each such time. */
    public LogThrottle(long everyNs) {
        this.everyNs = everyNs;
    }

    /** Lets the first through, and no other until {@link #reset}. */
    public static LogThrottle once() {
        return new LogThrottle(Long.MAX_VALUE);
    }

    /** Whether this is the first since the start or the last {@link #reset}. */
    public boolean first() {
        return next(0) != null;
    }

    /** The problem is over: the next is let through whenever it comes. */
    public synchronized void reset() {
        any = false;
        left = 0;
    }

    /** How many were not let through since the last that was; null if this one is not either. */
    public synchronized @Nullable Long next(long nowNs) {
        if (any && nowNs - lastNs < everyNs) {
            left++;
            return null;
        }
        long others = left;
        any = true;
        lastNs = nowNs;
        left = 0;
        return others;
    }
}
