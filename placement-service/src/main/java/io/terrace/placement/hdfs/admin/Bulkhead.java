package io.terrace.placement.hdfs.admin;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.ipc.RetriableException;

/**
 * Lets few callers at a time ask something, so that the other RPC threads, and the loop's time in between, are the
 * DataNodes'. Whoever comes beyond is refused at once and may ask again. Thread-safe.
 */
final class Bulkhead {

    /** For questions that cost the loop work or a lock of the NameNode. */
    static final int PLACES = 2;

    private final int most;
    private final Semaphore places;

    Bulkhead() {
        this(PLACES);
    }

    Bulkhead(int most) {
        this.most = most;
        this.places = new Semaphore(most);
    }

    /** A question of an RPC's caller. */
    @FunctionalInterface
    interface Question<T> {
        T answer() throws IOException, TimeoutException, InterruptedException;
    }

    /** @throws RetriableException when all places are taken */
    <T> T pass(Question<T> question) throws IOException, TimeoutException, InterruptedException {
        if (!places.tryAcquire()) {
            throw new RetriableException("placement answers " + most + " such questions at a time; ask again");
        }
        try {
            return question.answer();
        } finally {
            places.release();
        }
    }
}
