package io.terrace.client;

import io.terrace.channel.Grant;
import io.terrace.metrics.Metric;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A grant that was asked for: who waits, and how it came out. Several threads may wait for one. */
final class PendingGrant {
    /** A grant, or the figure that counts why there is none. */
    record Outcome(@Nullable LocalGrant grant, Metric fallback) {}

    private final GrantKey key;
    private final long askedNs;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    PendingGrant(GrantKey key, long askedNs) {
        this.key = key;
        this.askedNs = askedNs;
    }

    GrantKey key() {
        return key;
    }

    long askedNs() {
        return askedNs;
    }

    boolean isFor(Grant grant) {
        return grant.descriptor().block().equals(key.block());
    }

    /** False when nobody waits any more: the grant is the caller's to give back. */
    boolean succeed(LocalGrant grant) {
        return outcome.complete(new Outcome(grant, Metric.CLIENT_FALLBACK_FAILED));
    }

    void fail(Metric fallback) {
        outcome.complete(new Outcome(null, fallback));
    }

    /** Tells the outcome to the taker, on the thread that brings it. */
    void whenDone(Consumer<Outcome> taker) {
        outcome.thenAccept(taker);
    }

    /** Waits; when time is up the ask is given up for all who wait, while an interrupted thread gives up alone. */
    Outcome await(long timeoutMs) {
        try {
            return outcome.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            fail(Metric.CLIENT_FALLBACK_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome(null, Metric.CLIENT_FALLBACK_TIMEOUT);
        } catch (ExecutionException e) {
            fail(Metric.CLIENT_FALLBACK_FAILED);
        }
        return outcome.getNow(new Outcome(null, Metric.CLIENT_FALLBACK_TIMEOUT));
    }
}
