package io.terrace.channel.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has one of the threads that wait for a connection read its socket for all. It hands over to another one when it has what it
 * waits for. Nobody reads while nobody waits.
 */
final class SharedReader {
    /** What is read. */
    interface Connection {
        /** Under the lock. */
        boolean hasFailed();

        void fail(IOException why);
    }

    /** At its deadline a thread gives another one, which reads the socket, so long to take in what is there. */
    private static final long LAST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ReentrantLock lock;
    private final Selector selector;
    private final FrameReader frameReader;
    private final Connection connection;
    private final Deque<Thread> waiters = new ArrayDeque<>();

    /** Reads the socket for all. */
    private @Nullable Thread reader;

    private volatile long lastHeardNs = System.nanoTime();

    /**
     * For one connection.
     *
     * @param lock the connection's, under which waiting threads look at what they wait for
     * @param selector that the socket is registered with, for reading
     */
    SharedReader(ReentrantLock lock, Selector selector, FrameReader frameReader, Connection connection) {
        this.lock = lock;
        this.selector = selector;
        this.frameReader = frameReader;
        this.connection = connection;
    }

    /** When something arrived last, or this was made; by {@link System#nanoTime}. */
    long lastHeardNs() {
        return lastHeardNs;
    }

    /** Takes in what arrived while nobody waited. Never waits. */
    void poll() {
        lock.lock();
        try {
            if (!connection.hasFailed() && reader == null) {
                step(0);
            }
            wakeNext();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until something holds, reading the socket for all when nobody else does. Looks once more at the deadline: where this
     * process stood still, as in a garbage collection, what it waits for may be there unread.
     *
     * @param done asked under the lock
     * @param own the operation that is waited for
     * @return whether it holds; false at the deadline, or when the connection has ended
     */
    boolean driveUntil(BooleanSupplier done, long deadlineNs, @Nullable TcpRequest own) throws IOException {
        Thread me = Thread.currentThread();
        boolean late = false;
        lock.lock();
        try {
            while (!done.getAsBoolean()) {
                long leftNs = deadlineNs - System.nanoTime();
                if (late || connection.hasFailed()) {
                    return false;
                }
                if (me.isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting for the other side");
                }
                late = leftNs <= 0;
                if (reader != null) {
                    rest(me, late ? LAST_LOOK_NS : leftNs, own);
                } else {
                    step(Math.max(0, leftNs));
                }
            }
            return true;
        } finally {
            wakeNext();
            lock.unlock();
        }
    }

    /** Lets all who wait look again at what they wait for. */
    void wakeAll() {
        lock.lock();
        try {
            waiters.forEach(LockSupport::unpark);
        } finally {
            lock.unlock();
        }
        selector.wakeup();
    }

    /** Lets a thread look again. Under the lock. It may be the one that reads, in the selector. */
    void wake(Thread thread) {
        if (thread != reader) {
            LockSupport.unpark(thread);
        } else if (thread != Thread.currentThread()) {
            selector.wakeup();
        }
    }

    /** Waits, without the lock, until somebody else has news. */
    private void rest(Thread me, long leftNs, @Nullable TcpRequest own) {
        waiters.add(me);
        if (own != null) {
            own.waiter = me;
        }
        lock.unlock();
        try {
            LockSupport.parkNanos(this, leftNs);
        } finally {
            lock.lock();
            waiters.remove(me);
            if (own != null) {
                own.waiter = null;
            }
        }
    }

    /** Reads the socket, without the lock, and waits for it as long as allowed. */
    private void step(long waitNs) {
        reader = Thread.currentThread();
        lock.unlock();
        IOException failed = null;
        try {
            int got = frameReader.receive();
            if (got == 0 && waitNs > 0) {
                selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNs)));
                selector.selectedKeys().clear();
                got = frameReader.receive();
            }
            if (got > 0) {
                lastHeardNs = System.nanoTime();
            } else if (got < 0) {
                failed = new EOFException("the other side is gone");
            }
        } catch (IOException e) {
            failed = e;
        } catch (ClosedSelectorException e) {
            failed = new EOFException("closed");
        } catch (RuntimeException | OutOfMemoryError e) {
            failed = new IOException("the connection is in an unknown state", e);
        } finally {
            lock.lock();
            reader = null;
        }
        if (failed != null) {
            connection.fail(failed);
        }
    }

    /** Of those that wait, somebody must read the socket when nobody does. */
    private void wakeNext() {
        Thread next = waiters.peek();
        if (reader == null && next != null) {
            LockSupport.unpark(next);
        }
    }
}
