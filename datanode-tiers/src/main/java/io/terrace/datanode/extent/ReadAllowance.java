package io.terrace.datanode.extent;

/**
 * How much of what one holder says he read can be true: what a process can plausibly read in the time, saved up for no more
 * than {@link #SAVED_SECONDS}. Clients report several times a second.
 *
 * <p>Times in nanoseconds of one monotonic clock, passed in. Not thread-safe: owned by {@code PrincipalAccounts}.
 */
public final class ReadAllowance {

    static final int SAVED_SECONDS = 2;

    private final double readsPerSecond;
    private final double bytesPerSecond;
    private double reads;
    private double bytes;
    private long sinceNs;

    /** A full one. */
    public ReadAllowance(GrantLedger.Limits limits, long nowNs) {
        this.readsPerSecond = limits.readsPerSecond();
        this.bytesPerSecond = limits.bytesPerSecond();
        this.reads = SAVED_SECONDS * readsPerSecond;
        this.bytes = SAVED_SECONDS * bytesPerSecond;
        this.sinceNs = nowNs;
    }

    public long reads(long nowNs) {
        fill(nowNs);
        return (long) reads;
    }

    public long bytes(long nowNs) {
        fill(nowNs);
        return (long) bytes;
    }

    /** No more than there were. */
    public void use(long usedReads, long usedBytes) {
        reads -= usedReads;
        bytes -= usedBytes;
    }

    public boolean isFull(long nowNs) {
        fill(nowNs);
        return reads >= SAVED_SECONDS * readsPerSecond && bytes >= SAVED_SECONDS * bytesPerSecond;
    }

    private void fill(long nowNs) {
        if (nowNs - sinceNs <= 0) {
            return;
        }
        double seconds = (nowNs - sinceNs) / 1e9;
        reads = Math.min(SAVED_SECONDS * readsPerSecond, reads + seconds * readsPerSecond);
        bytes = Math.min(SAVED_SECONDS * bytesPerSecond, bytes + seconds * bytesPerSecond);
        sinceNs = nowNs;
    }
}
