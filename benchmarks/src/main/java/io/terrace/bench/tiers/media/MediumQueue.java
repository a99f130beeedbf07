package io.terrace.bench.tiers.media;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** The requests that one volume serves one after another, in the order in which they come. Thread-safe. */
final class MediumQueue {

    private final Medium medium;
    private long freeNs = System.nanoTime();

    MediumQueue(Medium medium) {
        this.medium = medium;
    }

    /** Waits until so many bytes would be read or written. */
    void serve(long bytes) throws IOException {
        long waitNs;
        synchronized (this) {
            long nowNs = System.nanoTime();
            freeNs = nowNs + Math.max(freeNs - nowNs, 0) + medium.takesNs(bytes);
            waitNs = freeNs - nowNs;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(waitNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a volume of set speed is busy");
        }
    }
}
