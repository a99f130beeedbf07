package io.terrace.datanode.memory;

import io.terrace.common.Agent;
import io.terrace.common.AgentThread;
import java.io.Closeable;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Recovers the leftovers of an earlier process, pool by pool as their replicas become known, and scrubs what is in memory.
 * Leftovers of pools that the DataNode does not serve after {@value #LEFTOVERS_WAIT_MINUTES} minutes are
 * deleted; those of pools that it serves wait, since many replicas may take longer to be known. While a name service has not told
 * its pool all wait, but no longer than {@value #UNKNOWN_WAIT_HOURS} hours: it may be configured and never answer again.
 */
public final class BackgroundChecks implements Agent, Closeable {

    private static final long LEFTOVERS_WAIT_MINUTES = 10;
    private static final long UNKNOWN_WAIT_HOURS = 24;
    private static final long STOP_WAIT_MS = 10_000;

    private final LeftoverRecovery leftoverRecovery;
    private final Scrubber scrub;
    private final boolean scrubs;
    private final long scrubIntervalNs;
    private final Predicate<String> served;
    private final BooleanSupplier allKnown;
    private final LongSupplier nanoClock;
    /** Bounded by the number of block pools, each of which becomes ready once. */
    private final Queue<String> readyPools = new ConcurrentLinkedQueue<>();

    private final AgentThread thread;
    private long startNs;
    private long nextScrubNs;

    /**
     * Begins with {@link #start}.
     *
     * @param scrubs whether there is a scrub at all
     * @param served whether the DataNode serves a block pool, its replicas be known yet or not
     * @param allKnown whether each name service has told which pool is its own
     */
    public BackgroundChecks(
            LeftoverRecovery leftoverRecovery,
            Scrubber scrub,
            boolean scrubs,
            long scrubIntervalMs,
            Predicate<String> served,
            BooleanSupplier allKnown,
            LongSupplier nanoClock,
            String name) {
        this.leftoverRecovery = leftoverRecovery;
        this.scrub = scrub;
        this.scrubs = scrubs;
        this.scrubIntervalNs = TimeUnit.MILLISECONDS.toNanos(scrubIntervalMs);
        this.served = served;
        this.allKnown = allKnown;
        this.nanoClock = nanoClock;
        long idleNs = Math.min(scrubIntervalNs, TimeUnit.SECONDS.toNanos(1));
        this.thread = new AgentThread("terrace-checks-" + name, this, idleNs, nanoClock);
    }

    /** Runs on a thread of its own from now on. */
    public void start() {
        startNs = nanoClock.getAsLong();
        nextScrubNs = startNs + scrubIntervalNs;
        thread.start();
    }

    /** All replicas of the pool are known. Does not block. */
    public void poolReady(String pool) {
        readyPools.add(pool);
        thread.wake();
    }

    @Override
    public int doWork(long nowNs) {
        String pool = readyPools.poll();
        if (pool != null) {
            recover(pool);
        }
        check(nanoClock.getAsLong());
        return pool == null ? 0 : 1;
    }

    private void check(long nowNs) {
        // A pool may be ready and wait for the leftovers of another one.
        boolean noneReady = readyPools.isEmpty();
        if (noneReady && haveWaited(nowNs - startNs)) {
            leftoverRecovery.discardUnserved(served);
        }
        if (scrubs && nextScrubNs - nowNs <= 0) {
            nextScrubNs = nowNs + scrubIntervalNs;
            scrub.pass(() -> !thread.isClosed() && recoverReady());
        }
    }

    private boolean haveWaited(long sinceStartNs) {
        return sinceStartNs > TimeUnit.MINUTES.toNanos(LEFTOVERS_WAIT_MINUTES)
                && (allKnown.getAsBoolean() || sinceStartNs > TimeUnit.HOURS.toNanos(UNKNOWN_WAIT_HOURS));
    }

    private boolean recoverReady() {
        for (String pool = readyPools.poll(); pool != null; pool = readyPools.poll()) {
            recover(pool);
        }
        return true;
    }

    /** The leftover that fails is not met again, so the pool's others have their turn. */
    private void recover(String pool) {
        try {
            leftoverRecovery.recover(pool, () -> !thread.isClosed());
        } catch (RuntimeException | Error e) {
            readyPools.add(pool);
            throw e;
        }
    }

    /** Leftovers that are not recovered stay for the next process, if this is closed before the tier is. */
    @Override
    public void close() {
        thread.close(true, STOP_WAIT_MS);
    }
}
