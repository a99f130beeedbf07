package io.terrace.placement.move;

/**
 * A token bucket of bytes for the moves of one DataNode. A move may start while the bucket is not in debt and then takes
 * its whole length, so a block larger than a second's worth is not starved; what it took too much is paid back first.
 *
 * <p>Owned by one thread; time is passed in, a step backwards is read as no time passed.
 */
public final class MoveBudget {

    /** Unused budget is kept for at most this long. */
    static final long BURST_MS = 1000;

    private final long bytesPerSecond;
    private double tokens;
    private long filledMs = Long.MIN_VALUE;

    /** @param bytesPerSecond 0 is no limit */
    public MoveBudget(long bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("a budget of " + bytesPerSecond + " bytes/s is negative");
        }
        this.bytesPerSecond = bytesPerSecond;
        this.tokens = bytesPerSecond * (BURST_MS / 1000.0);
    }

    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Whether a move may start now. */
    public boolean allows(long nowMs) {
        fill(nowMs);
        return bytesPerSecond == 0 || tokens > 0;
    }

    /** Takes a move's bytes out of the bucket. */
    public void spend(long nowMs, long bytes) {
        fill(nowMs);
        if (bytesPerSecond > 0) {
            tokens -= bytes;
        }
    }

    /** Bytes that may be started at once; negative while in debt. */
    public long balanceBytes(long nowMs) {
        fill(nowMs);
        return (long) tokens;
    }

    private void fill(long nowMs) {
        if (filledMs != Long.MIN_VALUE && nowMs > filledMs) {
            tokens = Math.min(
                    bytesPerSecond * (BURST_MS / 1000.0), tokens + (nowMs - filledMs) * (bytesPerSecond / 1000.0));
        }
        filledMs = Math.max(filledMs, nowMs);
    }
}
