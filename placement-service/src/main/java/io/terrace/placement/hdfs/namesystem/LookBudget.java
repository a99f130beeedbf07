package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.placement.state.NamespaceView.Asker;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * For how much of the time the placement loop holds the NameNode's lock: a thousandth. All looks are counted. Offers wait while
 * less than half of what may be saved up is left, other reviews while more was used, and reports while two minutes' worth more
 * was. Orders and operators do not wait. Of each kind that waits a twentieth is its own, so that nobody puts it off for good. What
 * was used too much is remembered for ten seconds' worth: a long hold is mostly a pause of the JVM. So of a hold that is more than
 * {@value #OUTLIER} times as long as others of its kind lately, the rest is charged to all: it would stop the kind for minutes, which
 * pays back a twentieth as fast. Thread-safe.
 */
final class LookBudget {

    private static final double NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1) / 1000.0;
    private static final Set<Asker> WAITING =
            EnumSet.of(Asker.REPORTS, Asker.REVIEWS, Asker.VOLUMES, Asker.SATISFY, Asker.OFFERS);
    private static final double OF_ONE = 0.05 * NS_PER_SECOND;
    private static final double OF_ALL = NS_PER_SECOND - WAITING.size() * OF_ONE;

    /**
     * Saved up at most: enough for many thousand blocks, after new rules, and for the first looks of a NameNode whose code is not
     * compiled yet, which take a hundred times as long.
     */
    private static final double MOST_SECONDS = 120;

    private static final double MOST_DEBT = OF_ALL * 10;
    private static final int OUTLIER = 4;

    /** How long a hold is taken to be before any was seen: about what a look at as many blocks as one may hold for takes. */
    private static final double FIRST_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final TokenBucket all;
    private final TokenBucket withReserve;
    private final Map<Asker, Own> own = new EnumMap<>(Asker.class);

    LookBudget(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.all = bucket(OF_ALL, MOST_SECONDS);
        this.withReserve = bucket(OF_ALL, 2 * MOST_SECONDS);
        WAITING.forEach(asker -> own.put(asker, new Own(bucket(OF_ONE, MOST_SECONDS))));
    }

    private TokenBucket bucket(double nsPerSecond, double seconds) {
        return new TokenBucket(
                nsPerSecond, nsPerSecond * seconds, Accrual.CAPPED, TimeUnit.NANOSECONDS, nanoClock.getAsLong());
    }

    /** The lock was held for so long. */
    void held(Asker asker, long ns) {
        long nowNs = nanoClock.getAsLong();
        Own ofAsker = own.get(asker);
        if (ofAsker == null) {
            chargeAll(nowNs, ns);
        } else {
            long usual = ofAsker.usualPart(ns);
            if (isSharedOpen(asker, nowNs)) {
                chargeAll(nowNs, ns);
            } else {
                ofAsker.bucket.charge(nowNs, usual, MOST_DEBT);
                chargeAll(nowNs, ns - usual);
            }
        }
    }

    private void chargeAll(long nowNs, long ns) {
        all.charge(nowNs, ns, MOST_DEBT);
        withReserve.charge(nowNs, ns, MOST_DEBT);
    }

    /** Whether looks of that asker may be made. */
    boolean isOpen(Asker asker) {
        long nowNs = nanoClock.getAsLong();
        Own ofAsker = own.get(asker);
        return ofAsker == null || isSharedOpen(asker, nowNs) || ofAsker.bucket.isOpen(nowNs);
    }

    private boolean isSharedOpen(Asker asker, long nowNs) {
        return switch (asker) {
            case REPORTS -> withReserve.isOpen(nowNs);
            case OFFERS -> all.available(nowNs) >= OF_ALL * MOST_SECONDS / 2;
            default -> all.isOpen(nowNs);
        };
    }

    /**
     * What one kind has for itself, and how long its holds are: a mean in which the last one counts an eighth. What is out of the way
     * counts in it as {@value #OUTLIER} times the mean, so pauses hardly change it, and holds that stay longer are learnt in a few.
     */
    private static final class Own {
        private final TokenBucket bucket;
        private double meanNs = FIRST_NS;

        Own(TokenBucket bucket) {
            this.bucket = bucket;
        }

        /** The part of a hold that is not out of the way. */
        synchronized long usualPart(long ns) {
            double usual = Math.min(ns, OUTLIER * meanNs);
            meanNs += (usual - meanNs) / 8;
            return (long) usual;
        }
    }
}
