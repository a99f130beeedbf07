package io.terrace.placement.hdfs.web;

import io.terrace.placement.hdfs.admin.ClusterSnapshot;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The latest snapshot of the cluster, as JSON, taken at most once in {@value #VALID_MS} ms, however many look; a failure
 * holds as long. Thread-safe; whoever asks meanwhile waits.
 */
final class SharedSnapshot {

    static final long VALID_MS = 1000;

    private final Source source;
    private final LongSupplier clockMs;
    private @Nullable ClusterJson latest;
    private @Nullable IOException failure;
    private long latestMs;

    /** Takes a snapshot now. */
    @FunctionalInterface
    interface Source {
        ClusterSnapshot take() throws IOException, TimeoutException, InterruptedException;
    }

    /** @param clockMs monotonic milliseconds */
    SharedSnapshot(Source source, LongSupplier clockMs) {
        this.source = source;
        this.clockMs = clockMs;
    }

    /** @throws IOException when the service gives no answer now */
    synchronized ClusterJson latest() throws IOException, InterruptedException {
        ClusterJson known = latest;
        if ((known == null && failure == null) || clockMs.getAsLong() - latestMs >= VALID_MS) {
            known = null;
            failure = null;
            try {
                known = new ClusterJson(source.take());
            } catch (IOException e) {
                failure = e;
            } catch (TimeoutException | RejectedExecutionException | IllegalStateException e) {
                failure = new IOException("placement is busy or restarting", e);
            }
            latest = known;
            latestMs = clockMs.getAsLong();
        }
        if (known == null) {
            throw new IOException(failure == null ? "no answer" : failure.getMessage(), failure);
        }
        return known;
    }
}
