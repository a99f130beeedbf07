package io.terrace.policy.firstread;

/**
 * What memory earns: reads that it serves, for each byte and millisecond, on the average of the last hour or so. Room that is
 * empty earns nothing, so memory that is not full has a low yield. What waits for a first read is left out. Single-threaded.
 */
public final class MemoryYield {

    /**
     * What a copy that waits must be worth, of the average: what leaves memory for it is among the worst that is there.
     */
    static final double PART = 0.25;

    private static final double HOUR_MS = 3_600_000;

    private double hits;
    private double byteMs;
    private long countedMs = Long.MIN_VALUE;

    /**
     * Time has passed.
     *
     * @param bytes of memory that copies which wait for their first read do not use
     */
    public void passed(long nowMs, long bytes) {
        if (countedMs == Long.MIN_VALUE) {
            countedMs = nowMs;
        }
        long ms = Math.max(0, nowMs - countedMs);
        if (ms > 0) {
            double left = Math.exp(-ms / HOUR_MS);
            hits *= left;
            byteMs = byteMs * left + (double) bytes * ms;
            countedMs = nowMs;
        }
    }

    /** Memory served reads of what does not wait for its first one. */
    public void served(double reads) {
        hits += reads;
    }

    /** Whether first reads are worth the memory in which copies wait for them. */
    public boolean justifies(double worth) {
        return worth * byteMs >= PART * hits;
    }
}
