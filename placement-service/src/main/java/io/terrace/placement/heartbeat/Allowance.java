package io.terrace.placement.heartbeat;

/**
 * What one DataNode may still use of something that comes at a rate. It grows with the time that passes, so it does not
 * matter how many heartbeats that time is cut into; what is not used is saved up for a second.
 *
 * <p>Owned by one thread; time is passed in, a step backwards is read as no time passed.
 */
public final class Allowance {

    /** A longer silence counts as this. */
    private static final long LONGEST_MS = 3_600_000;

    private final long perSecond;
    private double left;
    private long grownMs;

    Allowance(long perSecond, long nowMs) {
        this.perSecond = perSecond;
        this.left = perSecond;
        this.grownMs = nowMs;
    }

    void grow(long nowMs) {
        if (nowMs > grownMs) {
            left = Math.min(left, perSecond) + perSecond * (Math.min(LONGEST_MS, nowMs - grownMs) / 1000.0);
            grownMs = nowMs;
        }
    }

    /** Whole units that are left; 0 while in debt. */
    public long left() {
        return Math.max(0, (long) left);
    }

    /** Takes what is wanted as far as it is left, and says how much that was. */
    long take(long wanted) {
        long taken = Math.min(left(), wanted);
        left -= taken;
        return taken;
    }

    /** Takes what was used already; a debt is paid back by the time that passes. */
    public void charge(long used) {
        left -= used;
    }
}
