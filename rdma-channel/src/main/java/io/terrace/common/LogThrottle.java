package io.terrace.common;

import org.jspecify.annotations.Nullable;

/** Lets through one of many in a given time, and knows how many it did not. Thread-safe. */
public final class LogThrottle {
    private final long everyNs;
    private boolean any;
    private long lastNs;
    private long left;

    /** One in so long a time, and the first. */
    public LogThrottle(long everyNs) {
        this.everyNs = everyNs;
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
