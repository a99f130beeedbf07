package io.terrace.placement.hdfs.admin;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.hadoop.ipc.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Lets few callers at a time ask something, so that the other RPC threads, and the loop's time in between, are the
 * DataNodes'. One may also bound the part of the time for which it answers, however soon callers ask again. Whoever comes beyond is
 * refused at once and may ask again. Thread-safe.
 */
final class Bulkhead {

    /** For questions that cost the loop work or a lock of the NameNode. */
    static final int PLACES = 2;

    static final int PERCENT_OF_TIME = 5;
    /** What may be answered at once after a pause, and the most that is paid back later: a loop that is stuck is not the callers' fault. */
    static final long BURST_NS = TimeUnit.SECONDS.toNanos(2);

    private final int most;
    private final Semaphore places;
    private final LongSupplier clockNs;
    private final @Nullable TokenBucket time;

    Bulkhead() {
        this(PLACES);
    }

    Bulkhead(int most) {
        this(most, () -> 0, null);
    }

    private Bulkhead(int most, LongSupplier clockNs, @Nullable TokenBucket time) {
        this.most = most;
        this.places = new Semaphore(most);
        this.clockNs = clockNs;
        this.time = time;
    }

    /**
     * One that answers {@value #PLACES} at a time and, in the long run, for {@value #PERCENT_OF_TIME} percent of the time.
     *
     * @param clockNs monotonic nanoseconds
     */
    static Bulkhead ofTime(LongSupplier clockNs) {
        double perSecond = TimeUnit.SECONDS.toNanos(1) * PERCENT_OF_TIME / 100.0;
        return new Bulkhead(
                PLACES,
                clockNs,
                new TokenBucket(perSecond, BURST_NS, Accrual.CAPPED, TimeUnit.NANOSECONDS, clockNs.getAsLong()));
    }

    /** A question of an RPC's caller. */
    @FunctionalInterface
    interface Question<T> {
        T answer() throws IOException, TimeoutException, InterruptedException;
    }

    /** @throws RetriableException when all places are taken, or the time is */
    <T> T pass(Question<T> question) throws IOException, TimeoutException, InterruptedException {
        if (!places.tryAcquire()) {
            throw new RetriableException("placement answers " + most + " such questions at a time; ask again");
        }
        try {
            return time == null ? question.answer() : timed(time, question);
        } finally {
            places.release();
        }
    }

    private <T> T timed(TokenBucket bucket, Question<T> question)
            throws IOException, TimeoutException, InterruptedException {
        long beganNs = clockNs.getAsLong();
        if (!bucket.isOpen(beganNs)) {
            throw new RetriableException("placement answers such questions of users for " + PERCENT_OF_TIME
                    + " % of the time, which is used up; ask again in some seconds");
        }
        try {
            return question.answer();
        } finally {
            long nowNs = clockNs.getAsLong();
            bucket.charge(nowNs, nowNs - beganNs, BURST_NS);
        }
    }
}
