package io.terrace.common;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits something to a rate: tokens come with the time that passes, and use takes them. The limits differ on purpose:
 *
 * <ul>
 *   <li>{@link #take} is for reports: it takes what there is and says how much that was. What is beyond does not count.
 *   <li>{@link #charge} is for what cannot be divided, such as a move: it may begin while the bucket {@link #isOpen}, takes
 *       all that it needs, and the debt is paid back before the next one. So a block larger than the burst is not starved.
 *   <li>{@link #takeAndSleep} is for those who can wait: it takes all and sleeps until the debt is paid.
 * </ul>
 *
 * <p>Time is passed in, on any clock; a step backwards is read as no time passed. Thread-safe.
 */
public final class TokenBucket {

    /** What becomes of tokens that nobody uses. */
    public enum Accrual {
        /** There are never more of them than the burst. */
        CAPPED,
        /**
         * The whole time since the last call counts, up to an hour, and on top of it what was left, up to the burst: credit
         * for silence, as one who reports seldom reports of all that time.
         */
        WHOLE_SILENCE
    }

    private static final double LONGEST_SILENCE_SECONDS = 3600;
    private static final double NANOS = 1e9;
    private static final double SLEEP_BURST_SECONDS = 0.25;

    /** The clock and the sleep of {@link #takeAndSleep}. */
    private record Sleep(LongSupplier nanoClock, LongConsumer sleepNs) {}

    private final double perSecond;
    private final double burst;
    private final Accrual accrual;
    private final double ticksPerSecond;
    private final @Nullable Sleep sleep;
    private double tokens;
    private long filledAt;

    private long sleepPerSecond;

    /**
     * A full bucket.
     *
     * @param perSecond tokens that come in a second; 0 is no limit
     * @param clock unit of the times that are passed in
     */
    public TokenBucket(double perSecond, double burst, Accrual accrual, TimeUnit clock, long now) {
        this(perSecond, burst, accrual, clock, now, null);
        this.tokens = burst;
    }

    /**
     * An empty bucket for {@link #takeAndSleep} alone, with a burst of a quarter of a second. Its tokens are nanoseconds, so
     * that another rate leaves the time as it is which was waited for at the old one.
     *
     * @param sleepPerSecond what {@link #takeAndSleep} allows; 0 is no limit
     * @param nanoClock a monotonic clock
     * @param sleepNs waits that long
     */
    public TokenBucket(long sleepPerSecond, LongSupplier nanoClock, LongConsumer sleepNs) {
        this(
                NANOS,
                SLEEP_BURST_SECONDS * NANOS,
                Accrual.CAPPED,
                TimeUnit.NANOSECONDS,
                nanoClock.getAsLong(),
                new Sleep(nanoClock, sleepNs));
        this.sleepPerSecond = sleepPerSecond;
    }

    private TokenBucket(
            double tokensPerSecond, double burst, Accrual accrual, TimeUnit clock, long now, @Nullable Sleep sleep) {
        if (tokensPerSecond < 0) {
            throw new IllegalArgumentException("a rate of " + tokensPerSecond + " per second is negative");
        }
        this.perSecond = tokensPerSecond;
        this.burst = burst;
        this.accrual = accrual;
        this.ticksPerSecond = clock.convert(1, TimeUnit.SECONDS);
        this.filledAt = now;
        this.sleep = sleep;
    }

    /** An empty bucket for {@link #takeAndSleep} by the system's clock. */
    public static TokenBucket ofSystem(long perSecond) {
        return new TokenBucket(perSecond, System::nanoTime, LockSupport::parkNanos);
    }

    /** Whether there is any token, so that something may begin. */
    public synchronized boolean isOpen(long now) {
        fill(now);
        return perSecond == 0 || tokens > 0;
    }

    /** Whether nothing was taken of late that was not given back by the time that passed. */
    public synchronized boolean isFull(long now) {
        fill(now);
        return perSecond == 0 || tokens >= burst;
    }

    /** Whole tokens that there are; 0 while in debt. */
    public synchronized long available(long now) {
        fill(now);
        return perSecond == 0 ? Long.MAX_VALUE : Math.max(0, (long) tokens);
    }

    /** Whole tokens that there will be then if none is used before; the bucket stays as it is. */
    public synchronized long availableAt(long later) {
        return perSecond == 0 ? Long.MAX_VALUE : Math.max(0, (long) tokensAt(later));
    }

    /** Takes what is wanted as far as it is there, and says how much that was. */
    public synchronized long take(long now, long wanted) {
        long taken = Math.min(available(now), wanted);
        charge(now, taken);
        return taken;
    }

    /** Takes what was used, into debt if need be. */
    public synchronized void charge(long now, long used) {
        fill(now);
        if (perSecond > 0) {
            tokens -= used;
        }
    }

    /** Takes what was used, into a debt of at most so much. */
    public synchronized void charge(long now, long used, double mostDebt) {
        fill(now);
        if (perSecond > 0) {
            tokens = Math.max(tokens - used, Math.min(tokens, -mostDebt));
        }
    }

    /** Another rate of {@link #takeAndSleep} from now on; 0 is no limit. */
    public synchronized void rate(long newPerSecond) {
        sleepPerSecond = newPerSecond;
    }

    /** Takes all that is used, and sleeps until the rate allows it. */
    public void takeAndSleep(long used) {
        if (sleep == null) {
            throw new IllegalStateException("this bucket has no clock to sleep by");
        }
        long waitNs = debtNs(used, sleep.nanoClock.getAsLong());
        if (waitNs > 0) {
            sleep.sleepNs.accept(waitNs);
        }
    }

    private synchronized long debtNs(long used, long nowNs) {
        if (sleepPerSecond <= 0) {
            return 0;
        }
        charge(nowNs, (long) (used * NANOS / sleepPerSecond));
        return -(long) tokens;
    }

    private void fill(long now) {
        tokens = tokensAt(now);
        filledAt = now - filledAt > 0 ? now : filledAt;
    }

    private double tokensAt(long now) {
        long passed = now - filledAt; // Two times of a clock may be compared by their difference alone.
        if (passed <= 0) {
            return tokens;
        }
        double seconds = passed / ticksPerSecond;
        return switch (accrual) {
            case CAPPED -> Math.min(burst, tokens + seconds * perSecond);
            case WHOLE_SILENCE -> Math.min(burst, tokens) + Math.min(LONGEST_SILENCE_SECONDS, seconds) * perSecond;
        };
    }
}
