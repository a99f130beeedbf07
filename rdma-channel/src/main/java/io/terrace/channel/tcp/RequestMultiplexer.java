package io.terrace.channel.tcp;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares one connection among any number of threads with many requests in flight.
 *
 * <p>It has no thread of its own: the waiting threads read the socket ({@link SharedReader}), so a single reader pays for no switch
 * between threads. What arrives while no thread waits stays in the socket's buffer.
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

    private final SocketChannel channel;
    private final Selector selector;
    private final FrameWriter frameWriter;

    private final ReentrantLock lock = new ReentrantLock();
    private final InFlightRequests inFlightRequests;
    private final SharedReader sharedReader;

    /** Set once, under the lock. */
    private volatile @Nullable IOException failure;

    /** @param selector the channel is registered with, for reading */
    RequestMultiplexer(SocketChannel channel, Selector selector, TcpLimits limits, Unasked unasked) {
        this.channel = channel;
        this.selector = selector;
        this.frameWriter = new FrameWriter(channel);
        FrameReader frameReader = new FrameReader(channel, new Incoming(unasked));
        this.sharedReader = new SharedReader(lock, selector, frameReader, new Ending());
        this.inFlightRequests = new InFlightRequests(limits, sharedReader::wake);
    }

    /** Why the connection is of no more use; null while it is. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** When something arrived last, or this was made; by {@link System#nanoTime}. */
    long lastHeardNs() {
        return sharedReader.lastHeardNs();
    }

    /** Asked for and not arrived, as of a moment ago. */
    long bytesInFlight() {
        return inFlightRequests.bytesInFlight();
    }

    /** Takes in what arrived while nobody waited. Never waits. */
    void pollInput() {
        sharedReader.poll();
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
            boolean mayBegin = sharedReader.driveUntil(() -> inFlightRequests.hasRoom(bytes), deadlineNs, null);
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
        boolean came = sharedReader.driveUntil(
                () -> tcpRequest.status != null || there.getAsBoolean(), deadlineNs, tcpRequest);
        if (!came) {
            end(tcpRequest);
            if (beganNs - lastHeardNs() > 0) {
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

    /** Waits until something else than an answer is there; as {@link SharedReader#driveUntil} says. */
    boolean driveUntil(BooleanSupplier done, long deadlineNs) throws IOException {
        return sharedReader.driveUntil(done, deadlineNs, null);
    }

    /** Lets all who wait look again at what they wait for. */
    void wakeup() {
        sharedReader.wakeAll();
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
        } finally {
            lock.unlock();
        }
        sharedReader.wakeAll();
        try {
            // The channel keeps its descriptor until it is registered nowhere. Whoever waits in the selector leaves it.
            CloseAll.all(channel, selector);
        } catch (IOException e) {
            why.addSuppressed(e);
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

    /** How the connection ends. */
    private final class Ending implements SharedReader.Connection {
        @Override
        public boolean hasFailed() {
            return failure != null;
        }

        @Override
        public void fail(IOException why) {
            RequestMultiplexer.this.fail(why);
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
