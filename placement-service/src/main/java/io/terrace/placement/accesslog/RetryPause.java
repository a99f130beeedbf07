package io.terrace.placement.accesslog;

import java.util.concurrent.TimeUnit;

/**
 * When a disk that failed is tried again: after a second, then after twice as long each time, up to a minute. Used by one
 * thread at a time.
 */
final class RetryPause {

    static final long FIRST_NS = TimeUnit.SECONDS.toNanos(1);
    static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(1);

    /** 0 while all is well. */
    private long pauseNs;

    private long untilNs;

    /** Whether it may be tried now. */
    boolean isOver(long nowNs) {
        return pauseNs == 0 || untilNs - nowNs <= 0;
    }

    /**
     * It failed.
     *
     * @return whether it worked before
     */
    boolean failed(long nowNs) {
        boolean first = pauseNs == 0;
        pauseNs = first ? FIRST_NS : Math.min(LONGEST_NS, 2 * pauseNs);
        untilNs = nowNs + pauseNs;
        return first;
    }

    /**
     * It worked.
     *
     * @return whether it had failed before
     */
    boolean worked() {
        boolean failed = pauseNs != 0;
        pauseNs = 0;
        return failed;
    }
}
