package io.terrace.datanode.memory;

import java.io.Closeable;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that settles the leftovers of an earlier process, pool by pool as their replicas become known, and scrubs
 * what is in memory. Leftovers of pools that the DataNode does not serve after {@value #LEFTOVERS_WAIT_MINUTES} minutes are
 * deleted; those of pools that it serves wait, since many replicas may take longer to be known.
 */
public final class BackgroundChecks implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundChecks.class);
    private static final long LEFTOVERS_WAIT_MINUTES = 10;
    private static final long STOP_WAIT_MS = 10_000;

    private final LeftoverRecovery leftoverRecovery;
    private final Scrubber scrub;
    private final boolean scrubs;
    private final long scrubIntervalNs;
    private final Predicate<String> served;
    private final LongSupplier nanoClock;
    /** Bounded by the number of block pools, each of which becomes ready once. */
    private final BlockingQueue<String> readyPools = new LinkedBlockingQueue<>();

    private final Thread thread;
    private long nextScrubNs;
    private volatile boolean closed;

    /**
     * Begins with {@link #start}.
     *
     * @param scrubs whether there is a scrub at all
     * @param served whether the DataNode serves a block pool, its replicas be known yet or not
     */
    public BackgroundChecks(
            LeftoverRecovery leftoverRecovery,
            Scrubber scrub,
            boolean scrubs,
            long scrubIntervalMs,
            Predicate<String> served,
            LongSupplier nanoClock,
            String name) {
        this.leftoverRecovery = leftoverRecovery;
        this.scrub = scrub;
        this.scrubs = scrubs;
        this.scrubIntervalNs = TimeUnit.MILLISECONDS.toNanos(scrubIntervalMs);
        this.served = served;
        this.nanoClock = nanoClock;
        this.thread = new Thread(this::run, "terrace-checks-" + name);
        this.thread.setDaemon(true);
    }

    /** Runs on a thread of its own from now on. */
    public void start() {
        thread.start();
    }

    /** All replicas of the pool are known. Does not block. */
    public void poolReady(String pool) {
        readyPools.add(pool);
    }

    private void run() {
        long startNs = nanoClock.getAsLong();
        nextScrubNs = startNs + scrubIntervalNs;
        while (!closed) {
            try {
                String pool = readyPools.poll(Math.min(scrubIntervalNs, 1_000_000_000L), TimeUnit.NANOSECONDS);
                if (pool != null) {
                    settle(pool);
                }
                turn(startNs, nanoClock.getAsLong());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error e) {
                tell(e);
            }
        }
    }

    private void turn(long startNs, long nowNs) {
        // A pool may be ready and wait for the leftovers of another one.
        boolean settled = readyPools.isEmpty();
        if (settled && nowNs - startNs > TimeUnit.MINUTES.toNanos(LEFTOVERS_WAIT_MINUTES)) {
            leftoverRecovery.discardUnserved(served);
        }
        if (scrubs && nextScrubNs - nowNs <= 0) {
            nextScrubNs = nowNs + scrubIntervalNs;
            scrub.pass(() -> !closed && settleReady());
        }
    }

    /** Without memory the log may fail too, and a thread that ends checks nothing any more. */
    private static void tell(Throwable why) {
        try {
            LOG.error("A background check of the memory tier failed", why);
        } catch (RuntimeException | Error e) {
            why.addSuppressed(e);
        }
    }

    private boolean settleReady() {
        for (String pool = readyPools.poll(); pool != null; pool = readyPools.poll()) {
            settle(pool);
        }
        return true;
    }

    /** The leftover that fails is not met again, so the pool's others have their turn. */
    private void settle(String pool) {
        try {
            leftoverRecovery.settle(pool, () -> !closed);
        } catch (RuntimeException | Error e) {
            readyPools.add(pool);
            throw e;
        }
    }

    /** Leftovers that are not settled stay for the next process, if this is closed before the tier is. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(STOP_WAIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
