package io.terrace.channel.tcp;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one connection among any number of threads with many requests in flight.
 *
 * <p>It has no thread of its own. One of the waiting threads reads the socket for all, and hands over to another when
 * it has its own response; so a single reader pays for no switch between threads. What arrives while no thread waits
 * stays in the socket's buffer.
 *
 * <p>The number of requests and the bytes they ask for are bounded; further requests wait. A request whose deadline
 * passes without a single byte having arrived meanwhile ends the connection, because the other host or the network is
 * dead.
 */
final class RequestMultiplexer implements Closeable {
    /** What arrives that answers no request; on the thread that reads, without the lock. */
    interface Unasked {
        void message(ByteBuffer message) throws MalformedMessageException;

        void resident(ByteBuffer body) throws MalformedMessageException;
    }

    /** At its deadline a thread gives another one, which reads the socket, so long to take in what is there. */
    private static final long LAST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final SocketChannel channel;
    private final Selector selector;
    private final FrameWriter frameWriter;
    private final FrameReader frameReader;

    private final ReentrantLock lock = new ReentrantLock();
    private final InFlightRequests inFlightRequests;
    private final Deque<Thread> waiters = new ArrayDeque<>();

    /** Reads the socket for all. */
    private @Nullable Thread reader;

    /** Set once, under the lock. */
    private volatile @Nullable IOException failure;

    private volatile long lastHeardNs = System.nanoTime();

    /** @param selector the channel is registered with, for reading */
    RequestMultiplexer(SocketChannel channel, Selector selector, TcpLimits limits, Unasked unasked) {
        this.channel = channel;
        this.selector = selector;
        this.inFlightRequests = new InFlightRequests(limits, this::wake);
        this.frameWriter = new FrameWriter(channel);
        this.frameReader = new FrameReader(channel, new Incoming(unasked));
    }

    /** Why the connection is of no more use; null while it is. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** When something arrived last, or this was made; by {@link System#nanoTime}. */
    long lastHeardNs() {
        return lastHeardNs;
    }

    /** Asked for and not arrived, as of a moment ago. */
    long bytesInFlight() {
        return inFlightRequests.bytesInFlight();
    }

    /** Takes in what arrived while nobody waited. Never waits. */
    void pollInput() {
        lock.lock();
        try {
            if (failure == null && reader == null) {
                step(0);
            }
            wakeNext();
        } finally {
            lock.unlock();
        }
    }

    /** Sends what is not answered. */
    void tell(byte type, ByteBuffer body, long deadlineNs) throws IOException {
        send(type, 0, body, deadlineNs);
    }

    /**
     * Sends a request once it may be in flight.
     *
     * @param responseSink takes the answer's body; the request's until it ends
     */
    TcpRequest begin(byte type, ByteBuffer body, ResponseSink responseSink, long deadlineNs) throws IOException {
        TcpRequest tcpRequest = enter(responseSink, deadlineNs);
        if (tcpRequest == null) {
            tcpRequest = enterOnceThereIsRoom(responseSink, deadlineNs);
        }
        send(type, tcpRequest.number, body, deadlineNs);
        return tcpRequest;
    }

    /** As {@link #begin}, without a wait: null where it may not be in flight now. */
    @Nullable
    TcpRequest beginIfRoom(byte type, ByteBuffer body, ResponseSink responseSink, long deadlineNs) throws IOException {
        TcpRequest tcpRequest = enter(responseSink, deadlineNs);
        if (tcpRequest != null) {
            send(type, tcpRequest.number, body, deadlineNs);
        }
        return tcpRequest;
    }

    /** Null where it may not be in flight now. */
    private @Nullable TcpRequest enter(ResponseSink responseSink, long deadlineNs) throws IOException {
        if (deadlineNs - System.nanoTime() <= 0) {
            throw new ChannelException(TransferStatus.DEADLINE, "no time is left", null);
        }
        lock.lock();
        try {
            requireConnected();
            return inFlightRequests.hasRoom(responseSink.bodyBytes()) ? inFlightRequests.begin(responseSink) : null;
        } finally {
            lock.unlock();
        }
    }

    private TcpRequest enterOnceThereIsRoom(ResponseSink responseSink, long deadlineNs) throws IOException {
        int bytes = responseSink.bodyBytes();
        InFlightRequests.RoomWaiter roomWaiter;
        lock.lock();
        try {
            roomWaiter = inFlightRequests.awaitRoom(bytes);
        } finally {
            lock.unlock();
        }
        try {
            boolean mayBegin = driveUntil(() -> inFlightRequests.hasRoom(bytes), deadlineNs, null);
            lock.lock();
            try {
                requireConnected();
                if (!mayBegin) {
                    throw new ChannelException(TransferStatus.DEADLINE, "too much is in flight", null);
                }
                return inFlightRequests.begin(responseSink);
            } finally {
                lock.unlock();
            }
        } finally {
            lock.lock();
            try {
                inFlightRequests.leave(roomWaiter);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Under the lock. */
    private void requireConnected() throws ChannelException {
        if (failure != null) {
            throw new ChannelException(TransferStatus.DISCONNECTED, "the connection has ended", failure);
        }
    }

    /**
     * Waits for the end of an operation; its target is the caller's again afterwards, however it ended.
     *
     * @param deadlineNs may be later than the operation's own, which only bounds how long it waited to be sent
     */
    void await(TcpRequest tcpRequest, long deadlineNs) throws IOException {
        try {
            awaitPart(tcpRequest, () -> false, deadlineNs);
        } finally {
            end(tcpRequest);
        }
    }

    /**
     * Waits for a part of the body, or for the end of the operation if that comes first.
     *
     * @param there whether the part is
     */
    void awaitPart(TcpRequest tcpRequest, BooleanSupplier there, long deadlineNs) throws IOException {
        long beganNs = System.nanoTime();
        boolean came = driveUntil(() -> tcpRequest.status != null || there.getAsBoolean(), deadlineNs, tcpRequest);
        if (!came) {
            end(tcpRequest);
            if (beganNs - lastHeardNs > 0) {
                fail(new SocketTimeoutException("nothing was heard of the other side"));
            }
        }
        TransferStatus status = tcpRequest.status;
        if (status != null && status != TransferStatus.DONE) {
            throw new ChannelException(status, "ended " + status, failure());
        }
    }

    /** Takes the target back from an operation, whether it has ended or not. */
    void end(TcpRequest tcpRequest) {
        lock.lock();
        try {
            inFlightRequests.expire(tcpRequest);
        } finally {
            lock.unlock();
        }
    }

    /** Lets all who wait look again at what they wait for. */
    void wakeup() {
        lock.lock();
        try {
            waiters.forEach(LockSupport::unpark);
        } finally {
            lock.unlock();
        }
        selector.wakeup();
    }

    @Override
    public void close() {
        fail(new EOFException("closed"));
    }

    /** Ends the connection and everything outstanding. */
    void fail(IOException why) {
        lock.lock();
        try {
            if (failure != null) {
                return;
            }
            failure = why;
            inFlightRequests.disconnected();
            waiters.forEach(LockSupport::unpark);
        } finally {
            lock.unlock();
        }
        try {
            // The channel keeps its descriptor until it is registered nowhere. Whoever waits in the selector leaves it.
            CloseAll.all(channel, selector);
        } catch (IOException e) {
            why.addSuppressed(e);
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
                if (late || failure != null) {
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

    private void send(byte type, long number, ByteBuffer body, long deadlineNs) throws IOException {
        try {
            frameWriter.send(type, number, body, deadlineNs);
        } catch (IOException e) {
            fail(e);
            throw new ChannelException(TransferStatus.DISCONNECTED, "cannot send", e);
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
            fail(failed);
        }
    }

    /** Under the lock. Whoever reads the socket for all may wait for room itself, in the selector. */
    private void wake(Thread thread) {
        if (thread != reader) {
            LockSupport.unpark(thread);
        } else if (thread != Thread.currentThread()) {
            selector.wakeup();
        }
    }

    /** Of those that wait, somebody must read the socket when nobody does. */
    private void wakeNext() {
        Thread next = waiters.peek();
        if (reader == null && next != null) {
            LockSupport.unpark(next);
        }
    }

    /** What the receiver has, on the thread that reads. */
    private final class Incoming implements FrameReader.Handler {
        private final Unasked unasked;

        Incoming(Unasked unasked) {
            this.unasked = unasked;
        }

        @Override
        public @Nullable TcpRequest find(long number) {
            lock.lock();
            try {
                return inFlightRequests.find(number);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void done(TcpRequest tcpRequest, TransferStatus status) {
            lock.lock();
            try {
                inFlightRequests.finish(tcpRequest, status);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void partLanded(TcpRequest tcpRequest) {
            lock.lock();
            try {
                if (tcpRequest.waiter != null) {
                    LockSupport.unpark(tcpRequest.waiter);
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean expectsStream() {
            lock.lock();
            try {
                return inFlightRequests.expectsStream();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void message(ByteBuffer message) throws MalformedMessageException {
            unasked.message(message);
            wakeup();
        }

        @Override
        public void resident(ByteBuffer body) throws MalformedMessageException {
            unasked.resident(body);
        }
    }
}
