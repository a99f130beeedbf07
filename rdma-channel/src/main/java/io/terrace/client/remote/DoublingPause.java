package io.terrace.client.remote;

/**
 * For how long something that failed is left alone: each pause is twice as long as the one before, up to a limit, until it
 * works. Time is told by {@link System#nanoTime}. Thread-safe; where nothing failed, it costs two volatile reads.
 */
final class DoublingPause {
    private final long firstNs;
    private final long longestNs;

    /** Of the pause of now, or the last one; 0 where it worked since. */
    private volatile long lengthNs;

    private volatile long untilNs;

    DoublingPause(long firstNs, long longestNs) {
        this.firstNs = firstNs;
        this.longestNs = longestNs;
    }

    boolean isOver(long nowNs) {
        return lengthNs == 0 || untilNs - nowNs <= 0;
    }

    /** It failed. What began before the pause and fails during it makes it no longer. */
    synchronized void begin(long nowNs) {
        if (isOver(nowNs)) {
            begin(nowNs, lengthNs == 0 ? firstNs : Math.min(longestNs, 2 * lengthNs));
        }
    }

    /** There is nothing to hope for soon. */
    synchronized void beginLongest(long nowNs) {
        begin(nowNs, longestNs);
    }

    private void begin(long nowNs, long forNs) {
        untilNs = nowNs + forNs;
        lengthNs = forNs;
    }

    /** It worked. What began before a pause may end in it, and does not end it. */
    void worked() {
        if (lengthNs != 0) {
            reset(System.nanoTime());
        }
    }

    private synchronized void reset(long nowNs) {
        if (isOver(nowNs)) {
            lengthNs = 0;
        }
    }
}
