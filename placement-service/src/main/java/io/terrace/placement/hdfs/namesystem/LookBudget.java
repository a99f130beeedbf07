package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * For how much of the time the placement loop holds the NameNode's lock: a thousandth. Looks that can wait do so while more was
 * used; those just before an order do not. Thread-safe.
 */
final class LookBudget {

    private static final double NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1) / 1000.0;

    /** Saved up at most: enough for some thousand blocks, after new rules. */
    private static final double MOST_NS = 10 * NS_PER_SECOND;

    private final LongSupplier nanoClock;
    private final TokenBucket heldNs;

    LookBudget(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.heldNs =
                new TokenBucket(NS_PER_SECOND, MOST_NS, Accrual.CAPPED, TimeUnit.NANOSECONDS, nanoClock.getAsLong());
    }

    /** The lock was held for so long. */
    void held(long ns) {
        heldNs.charge(nanoClock.getAsLong(), ns);
    }

    /** Whether looks that can wait may be made. */
    boolean isOpen() {
        return heldNs.isOpen(nanoClock.getAsLong());
    }
}
