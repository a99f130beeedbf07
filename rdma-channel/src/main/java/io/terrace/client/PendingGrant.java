package io.terrace.client;

import io.terrace.metrics.Metric;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A grant that was asked for: who waits, and how it came out. Several threads may wait for one. */
public final class PendingGrant<G extends CachedGrant> {
    /** A grant, or the metric that counts why there is none. */
    public record Outcome<G extends CachedGrant>(@Nullable G grant, Metric fallback) {}

    private final GrantKey key;
    private final long askedNs;
    private final Consumer<@Nullable Outcome<G>> recorder;
    private final AtomicBoolean decided = new AtomicBoolean();

    /** Null once whoever asked gave up. */
    private final CompletableFuture<@Nullable Outcome<G>> outcome = new CompletableFuture<>();

    /**
     * @param recorder told the outcome once, on the thread that brings it, before any waiter wakes: a waiter that comes
     *     back at once finds the grant or the refusal recorded. Null when the ask was abandoned.
     */
    PendingGrant(GrantKey key, long askedNs, Consumer<@Nullable Outcome<G>> recorder) {
        this.key = key;
        this.askedNs = askedNs;
        this.recorder = recorder;
    }

    public GrantKey key() {
        return key;
    }

    /** From when a lease counts. */
    public long askedNs() {
        return askedNs;
    }

    /** False when nobody waits any more: the grant is the caller's to give back. */
    public boolean succeed(G grant) {
        return decide(new Outcome<>(grant, Metric.CLIENT_FALLBACK_FAILED));
    }

    public void fail(Metric fallback) {
        decide(new Outcome<>(null, fallback));
    }

    /** Whoever asked could not: others that wait may. */
    void abandon() {
        decide(null);
    }

    private boolean decide(@Nullable Outcome<G> result) {
        boolean first = decided.compareAndSet(false, true);
        if (first) {
            try {
                recorder.accept(result);
            } finally {
                outcome.complete(result);
            }
        }
        return first;
    }

    /**
     * Waits; when time is up the ask is given up for all who wait, while an interrupted thread gives up alone.
     *
     * @return null when it was abandoned
     */
    @Nullable
    Outcome<G> await(long timeoutNs) {
        try {
            return outcome.get(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            fail(Metric.CLIENT_FALLBACK_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome<>(null, Metric.CLIENT_FALLBACK_TIMEOUT);
        } catch (ExecutionException e) {
            fail(Metric.CLIENT_FALLBACK_FAILED);
        }
        // Another outcome may have been first; it is there as soon as it is recorded.
        return outcome.join();
    }
}
