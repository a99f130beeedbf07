package io.terrace.common;

/**
 * For how long something that failed is left alone: each pause is twice as long as the one before, up to a limit, until it
 * works. Times are of {@link System#nanoTime}. Thread-safe; where nothing failed, it costs two volatile reads.
 */
public final class RetryPause {
    private final long firstNs;
    private final long longestNs;

    /** Of the pause of now, or the last one; 0 where it worked since. */
    private volatile long lengthNs;

    private volatile long untilNs;

    public RetryPause(long firstNs, long longestNs) {
        this.firstNs = firstNs;
        this.longestNs = longestNs;
    }

    /** Whether it may be tried now. */
    public boolean isOver(long nowNs) {
        return lengthNs == 0 || untilNs - nowNs <= 0;
    }

    /**
     * It failed. What began before a pause and fails during it makes the pause no longer.
     *
     * @return whether it worked before
     */
    public boolean failed(long nowNs) {
        return failed(nowNs, longestNs);
    }

    /** The same, where it is worth a try after so long at the latest. */
    public synchronized boolean failed(long nowNs, long mostNs) {
        boolean first = lengthNs == 0;
        if (isOver(nowNs)) {
            begin(nowNs, first ? firstNs : Math.min(mostNs, 2 * lengthNs));
        }
        return first;
    }

    /** It failed, and there is nothing to hope for soon. */
    public synchronized void failedForLong(long nowNs) {
        begin(nowNs, longestNs);
    }

    private void begin(long nowNs, long forNs) {
        untilNs = nowNs + forNs;
        lengthNs = forNs;
    }

    /** Whether it failed since it worked last, so that {@link #worked} has something to do. */
    public boolean hasFailed() {
        return lengthNs != 0;
    }

    /**
     * It worked. What began before a pause may end in it, and does not end the pause.
     *
     * @return whether the pauses are over with that
     */
    public synchronized boolean worked(long nowNs) {
        boolean ends = hasFailed() && isOver(nowNs);
        if (ends) {
            lengthNs = 0;
        }
        return ends;
    }
}
