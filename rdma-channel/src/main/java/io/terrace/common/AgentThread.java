package io.terrace.common;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that runs an {@link Agent} until it is closed. After a turn without work it waits, until its next turn is
 * due or somebody wakes it.
 *
 * <p>Whatever a turn throws, an {@link Error} too, the thread goes on after a pause of {@value #FAILURE_PAUSE_MS} ms. The
 * failure is logged, unless the turn before failed with the same class of exception. Thread-safe.
 */
public final class AgentThread {

    static final int FAILURE_PAUSE_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(AgentThread.class);

    private final Agent agent;
    private final LongUnaryOperator idleNs;
    private final LongSupplier nanoClock;
    private final Thread thread;
    private @Nullable Class<?> lastFailure;
    private volatile boolean woken;
    private volatile boolean closed;

    /**
     * Its turns begin with {@link #start}.
     *
     * @param idleNs how long to wait after a turn without work
     * @param nanoClock a monotonic clock, for the agent
     */
    public AgentThread(String name, Agent agent, long idleNs, LongSupplier nanoClock) {
        this(name, agent, nowNs -> idleNs, nanoClock);
    }

    /**
     * Its turns begin with {@link #start}.
     *
     * @param idleNs given the time after a turn without work, how long to wait; not at all where it is not positive
     * @param nanoClock a monotonic clock, for the agent
     */
    public AgentThread(String name, Agent agent, LongUnaryOperator idleNs, LongSupplier nanoClock) {
        this.agent = agent;
        this.idleNs = idleNs;
        this.nanoClock = nanoClock;
        this.thread = DaemonThreads.make(name, this::run);
    }

    /** Begins; it is this object. */
    public AgentThread start() {
        thread.start();
        return this;
    }

    /** There is work: ends the wait of now, or the next one if a turn is going on. Does not block. */
    public void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /** Whether it has been told to end; a long turn asks this. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Begins no turn any more. Does not wait for the one that is going on.
     *
     * @param interrupt interrupts that one
     */
    public void stop(boolean interrupt) {
        closed = true;
        LockSupport.unpark(thread);
        if (interrupt) {
            thread.interrupt();
        }
    }

    /**
     * As {@link #stop}, and waits for the thread to end, unless the caller is interrupted.
     *
     * @param waitMs for so long at most; 0 for as long as it takes
     */
    public void close(boolean interrupt, long waitMs) {
        stop(interrupt);
        try {
            thread.join(waitMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #stop}, and waits for the thread to end, also when the caller is interrupted: for whoever frees memory then
     * that the thread uses.
     */
    public void closeUninterruptibly() {
        stop(false);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            turn();
        }
        try {
            agent.onClose();
        } catch (Exception | Error e) {
            log("The thread {} ended with a failure", e);
        }
    }

    private void turn() {
        try {
            woken = false;
            int work = agent.doWork(nanoClock.getAsLong());
            lastFailure = null;
            if (work == 0) {
                long waitNs = idleNs.applyAsLong(nanoClock.getAsLong());
                if (waitNs > 0 && !woken) {
                    park(waitNs);
                }
            }
        } catch (Exception | Error e) {
            if (closed && e instanceof InterruptedException) {
                return;
            }
            if (e.getClass() != lastFailure) {
                lastFailure = e.getClass();
                log("A turn of the thread {} failed; it goes on", e);
            }
            park(TimeUnit.MILLISECONDS.toNanos(FAILURE_PAUSE_MS));
        }
    }

    private void park(long waitNs) {
        // A status that a turn left behind would end every wait at once.
        boolean unused = Thread.interrupted();
        if (!closed) {
            LockSupport.parkNanos(this, waitNs);
        }
    }

    private void log(String format, Throwable why) {
        try {
            LOG.error(format, thread.getName(), why);
        } catch (RuntimeException | Error e) {
            // Without memory the log may fail too, and so may anything else that is tried here.
        }
    }
}
