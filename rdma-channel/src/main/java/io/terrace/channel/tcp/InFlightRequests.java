package io.terrace.channel.tcp;

import io.terrace.channel.transport.TransferStatus;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered requests of one connection, within their limits. Guarded by the lock of {@link RequestMultiplexer}.
 */
final class InFlightRequests {
    private final TcpLimits limits;
    private final Consumer<Thread> wake;

    /** By number, in the order in which they were asked, which is mostly that of the answers. */
    private final Map<Long, TcpRequest> operations = new LinkedHashMap<>();

    /** Those for whom there was no room, in the order in which they came. */
    private final Deque<RoomWaiter> roomWaiters = new ArrayDeque<>();

    private long lastNumber;
    private volatile long bytesInFlight;

    /** @param wake lets a thread look again at what it waits for */
    InFlightRequests(TcpLimits limits, Consumer<Thread> wake) {
        this.limits = limits;
        this.wake = wake;
    }

    /** A thread that wants to begin a request, and of what size its answer is. */
    record RoomWaiter(Thread thread, int bodyBytes) {}

    /** Asked for and not arrived; safe without the lock. */
    long bytesInFlight() {
        return bytesInFlight;
    }

    /** Whether one more may be in flight, whose answer has so many bytes. */
    boolean hasRoom(int bodyBytes) {
        return operations.size() < limits.operations()
                && (bytesInFlight == 0 || bytesInFlight + bodyBytes <= limits.bytesInFlight());
    }

    TcpRequest begin(ResponseSink responseSink) {
        TcpRequest tcpRequest = new TcpRequest(++lastNumber, responseSink);
        operations.put(tcpRequest.number, tcpRequest);
        bytesInFlight += tcpRequest.bodyBytes;
        return tcpRequest;
    }

    /** The thread is woken when there is room for it, until it {@link #leave leaves}. */
    RoomWaiter awaitRoom(int bodyBytes) {
        RoomWaiter roomWaiter = new RoomWaiter(Thread.currentThread(), bodyBytes);
        roomWaiters.add(roomWaiter);
        return roomWaiter;
    }

    /** The thread began or gave up. There may be room for the next too: each is woken by the one before. */
    void leave(RoomWaiter roomWaiter) {
        roomWaiters.remove(roomWaiter);
        wakeForRoom();
    }

    private void wakeForRoom() {
        RoomWaiter next = roomWaiters.peek();
        if (next != null && hasRoom(next.bodyBytes)) {
            wake.accept(next.thread);
        }
    }

    @Nullable
    TcpRequest find(long number) {
        return operations.get(number);
    }

    /** Whether the next answer is likely to be one that is taken segment by segment. */
    boolean expectsStream() {
        Iterator<TcpRequest> oldest = operations.values().iterator();
        return oldest.hasNext() && oldest.next().isStreamed();
    }

    /** Ends an operation that has not ended yet, and wakes who waits for it, or for its room. */
    void finish(TcpRequest tcpRequest, TransferStatus status) {
        if (operations.remove(tcpRequest.number) == null) {
            return;
        }
        bytesInFlight -= tcpRequest.bodyBytes;
        tcpRequest.status = status;
        if (tcpRequest.waiter != null) {
            wake.accept(tcpRequest.waiter);
        }
        wakeForRoom();
    }

    /** Nothing lands in its place any more. */
    void expire(TcpRequest tcpRequest) {
        if (tcpRequest.status == null) {
            abandon(tcpRequest, TransferStatus.DEADLINE);
        }
    }

    void disconnected() {
        for (TcpRequest tcpRequest : List.copyOf(operations.values())) {
            abandon(tcpRequest, TransferStatus.DISCONNECTED);
        }
    }

    private void abandon(TcpRequest tcpRequest, TransferStatus status) {
        tcpRequest.abandon();
        finish(tcpRequest, status);
    }
}
