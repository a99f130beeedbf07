package io.terrace.common;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A limit in bytes per second for those who share it: whoever takes more than the rate gives waits.
 *
 * <p>A leaky bucket with a burst of a quarter of a second. Thread-safe; clock and waiting are passed in.
 */
public final class TokenBucket {

    private static final double BURST_SECONDS = 0.25;

    private final LongSupplier nanoClock;
    private final LongConsumer sleepNs;
    private long bytesPerSecond;
    /** When everything taken so far will have been paid for. */
    private long paidAtNs;

    /**
     * A limit.
     *
     * @param bytesPerSecond 0 is no limit
     * @param nanoClock a monotonic clock
     * @param sleepNs waits that long
     */
    public TokenBucket(long bytesPerSecond, LongSupplier nanoClock, LongConsumer sleepNs) {
        this.nanoClock = nanoClock;
        this.sleepNs = sleepNs;
        this.bytesPerSecond = bytesPerSecond;
        this.paidAtNs = nanoClock.getAsLong();
    }

    /** A limit by the system's clock. */
    public static TokenBucket ofSystem(long bytesPerSecond) {
        return new TokenBucket(bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
    }

    /** Another rate from now on; 0 is no limit. */
    public synchronized void rate(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    /** Takes bytes, and waits until the rate allows it. */
    public void take(long bytes) {
        long waitNs = reserve(bytes, nanoClock.getAsLong());
        if (waitNs > 0) {
            sleepNs.accept(waitNs);
        }
    }

    private synchronized long reserve(long bytes, long nowNs) {
        if (bytesPerSecond <= 0) {
            return 0;
        }
        long burstNs = (long) (BURST_SECONDS * 1e9);
        if (paidAtNs - (nowNs - burstNs) < 0) {
            paidAtNs = nowNs - burstNs;
        }
        paidAtNs += (long) (bytes * 1e9 / bytesPerSecond);
        return paidAtNs - nowNs;
    }
}
