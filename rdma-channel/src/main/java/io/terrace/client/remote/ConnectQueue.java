package io.terrace.client.remote;

import io.terrace.common.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Connects to DataNodes on threads of its own, so that a reader of a block that is in no memory never does.
 *
 * <p>A process that reads one block and ends would never read memory so. Therefore readers may wait until a connection is
 * made, but no longer than a limit altogether, which they use up. Thread-safe.
 */
final class ConnectQueue {
    /** A dead DataNode occupies one for the connect timeout. */
    private static final int THREADS = 8;

    private static final int MOST_WAITING = 1024;
    private static final Executor SHARED = sharedThreads();

    private final Executor threads;
    private final AtomicLong waitLeftNs;
    private volatile long begun;
    private volatile long ended;

    /** @param waitNs how long all readers together may wait */
    ConnectQueue(Executor threads, long waitNs) {
        this.threads = threads;
        this.waitLeftNs = new AtomicLong(waitNs);
    }

    /** On threads that all of a process share. */
    static ConnectQueue onSharedThreads(long waitNs) {
        return new ConnectQueue(SHARED, waitNs);
    }

    /** Has it run soon; false when too many wait already, or the process is out of threads. */
    boolean add(Runnable connect) {
        try {
            threads.execute(() -> {
                begin();
                try {
                    connect.run();
                } finally {
                    end();
                }
            });
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    /** How many have begun. */
    long begun() {
        return begun;
    }

    /** How many have ended, well or not. */
    long ended() {
        return ended;
    }

    /**
     * Waits until more have ended than there were.
     *
     * @return false when it is the deadline, or the thread is interrupted, before
     */
    synchronized boolean awaitMore(long endedBefore, long deadlineNs) {
        while (ended == endedBefore) {
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** How long readers may wait yet. */
    long waitLeftNs() {
        return waitLeftNs.get();
    }

    /** A reader waited so long. */
    void waited(long ns) {
        waitLeftNs.addAndGet(-ns);
    }

    private synchronized void begin() {
        begun++;
    }

    private synchronized void end() {
        ended++;
        notifyAll();
    }

    private static Executor sharedThreads() {
        ThreadPoolExecutor shared = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING),
                DaemonThreads.numbered("terrace-connect-"));
        shared.allowCoreThreadTimeOut(true);
        return shared;
    }
}
