package io.terrace.client.write;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many blocks of a file are written at one time. The NameNode adds a block when each but the last one has
 * {@code dfs.namenode.replication.min} replicas, a number that it tells no client. Where it refuses a block for that while
 * others are behind, at most one is behind in all files of its client, for ten minutes: it may only have been busy. Thread-safe.
 */
final class PipelineLimit {
    /** Where the minimum is the reason, a file waits for up to 12 s with each time that it is learned. */
    static final long KNOWN_NS = TimeUnit.MINUTES.toNanos(10);

    private static final int ONE_BEHIND = 2;

    private final int most;
    private final LongSupplier nanoClock;
    private volatile long awaitedUntilNs;
    private volatile boolean refused;

    /** @param most the configured number */
    PipelineLimit(int most) {
        this(most, System::nanoTime);
    }

    PipelineLimit(int most, LongSupplier nanoClock) {
        this.most = most;
        this.nanoClock = nanoClock;
    }

    /** One that knows nothing yet, for another client. */
    PipelineLimit fresh() {
        return new PipelineLimit(most, nanoClock);
    }

    boolean replicasAwaited() {
        return refused && awaitedUntilNs - nanoClock.getAsLong() > 0;
    }

    int blocks() {
        return replicasAwaited() ? Math.min(ONE_BEHIND, most) : most;
    }

    /** The NameNode wants more replicas of a block than its first DataNode's before it adds the second next one. */
    void awaitReplicas() {
        awaitedUntilNs = nanoClock.getAsLong() + KNOWN_NS;
        refused = true;
    }
}
