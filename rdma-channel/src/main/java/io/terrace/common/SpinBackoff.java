package io.terrace.common;

import java.util.concurrent.locks.LockSupport;

/**
 * How long to wait between two looks at a completion queue: a completion on a fast network comes within microseconds, so a
 * thread spins first; one that has waited longer than a switch of threads costs leaves the processor, for longer each time.
 */
public final class SpinBackoff {
    public static final int SPINS = 200;
    public static final int YIELDS = 50;

    private static final long SHORTEST_NS = 2_000;
    private static final long LONGEST_NS = 500_000;

    private SpinBackoff() {}

    /** Nanoseconds to sleep before look number {@code looks}; 0 while spinning or yielding. */
    public static long pauseNs(int looks) {
        int over = looks - SPINS - YIELDS;
        if (over < 0) {
            return 0;
        }
        return Math.min(LONGEST_NS, SHORTEST_NS << Math.min(over / 8, 16));
    }

    public static void idle(int looks) {
        if (looks < SPINS) {
            Thread.onSpinWait();
        } else if (looks < SPINS + YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(pauseNs(looks));
        }
    }
}
