package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.placement.state.NamespaceView.Asker;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * For how much of the time the placement loop holds the NameNode's lock: a thousandth. All looks are counted. Reviews wait
 * while more was used, and reports while ten seconds' worth more was. Orders and operators do not wait. A tenth of it is for
 * reviews alone, so that others do not put them off for good. Thread-safe.
 */
final class LookBudget {

    private static final double NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1) / 1000.0;
    private static final double OF_REVIEWS = 0.1 * NS_PER_SECOND;
    private static final double OF_ALL = NS_PER_SECOND - OF_REVIEWS;

    /** Saved up at most: enough for some thousand blocks, after new rules. */
    private static final double MOST_SECONDS = 10;

    private final LongSupplier nanoClock;
    private final TokenBucket all;
    private final TokenBucket withReserve;
    private final TokenBucket ofReviews;

    LookBudget(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.all = bucket(OF_ALL, MOST_SECONDS);
        // Filled and emptied alike, so it has always as much more as its burst is larger.
        this.withReserve = bucket(OF_ALL, 2 * MOST_SECONDS);
        this.ofReviews = bucket(OF_REVIEWS, MOST_SECONDS);
    }

    private TokenBucket bucket(double nsPerSecond, double seconds) {
        return new TokenBucket(
                nsPerSecond, nsPerSecond * seconds, Accrual.CAPPED, TimeUnit.NANOSECONDS, nanoClock.getAsLong());
    }

    /** The lock was held for so long. */
    void held(Asker asker, long ns) {
        long nowNs = nanoClock.getAsLong();
        if (asker == Asker.REVIEWS && !all.isOpen(nowNs)) {
            ofReviews.charge(nowNs, ns);
        } else {
            all.charge(nowNs, ns);
            withReserve.charge(nowNs, ns);
        }
    }

    /** Whether looks of that asker may be made. */
    boolean isOpen(Asker asker) {
        long nowNs = nanoClock.getAsLong();
        return switch (asker) {
            case ORDERS, OTHERS -> true;
            case REPORTS -> withReserve.isOpen(nowNs);
            case REVIEWS -> all.isOpen(nowNs) || ofReviews.isOpen(nowNs);
        };
    }
}
