package io.terrace.channel.tcp;

import io.terrace.channel.ChannelException;
import io.terrace.channel.Completion.Status;
import io.terrace.channel.CompletionQueue;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The requests of one connection that are not answered yet, within their limits. Used under the exchange's lock. */
final class Outstanding {
    private static final int MAX_COMPLETIONS = 1024;

    private final TcpLimits limits;
    private final CompletionQueue completions = new CompletionQueue(MAX_COMPLETIONS);

    /** By number, in the order in which they were asked, which is mostly that of the answers. */
    private final Map<Long, Operation> operations = new LinkedHashMap<>();

    private long lastNumber;
    private volatile long bytesInFlight;

    Outstanding(TcpLimits limits) {
        this.limits = limits;
    }

    /** Of operations that were posted; safe without the lock. */
    CompletionQueue completions() {
        return completions;
    }

    /** Asked for and not arrived; safe without the lock. */
    long bytesInFlight() {
        return bytesInFlight;
    }

    /** Whether one more may be in flight, whose answer has so many bytes. */
    boolean hasRoom(int bodyBytes) {
        return operations.size() < limits.operations()
                && (bytesInFlight == 0 || bytesInFlight + bodyBytes <= limits.bytesInFlight());
    }

    /**
     * Posted ones have negative numbers, which the completion queue gives.
     *
     * @throws ChannelException when more ends of posted ones wait than may
     */
    Operation begin(Landing landing, boolean posted, long deadlineNs) throws ChannelException {
        long number = posted ? -completions.begin() : ++lastNumber;
        Operation operation = new Operation(number, landing, posted, deadlineNs);
        operations.put(number, operation);
        bytesInFlight += operation.bodyBytes;
        return operation;
    }

    @Nullable
    Operation find(long number) {
        return operations.get(number);
    }

    /** Whether the next answer is likely to be one that is taken segment by segment. */
    boolean expectsStream() {
        Iterator<Operation> oldest = operations.values().iterator();
        return oldest.hasNext() && oldest.next().isStreamed();
    }

    /** Ends an operation that has not ended yet, and wakes who waits for it. */
    void finish(Operation operation, Status status) {
        if (operations.remove(operation.number) == null) {
            return;
        }
        bytesInFlight -= operation.bodyBytes;
        operation.status = status;
        if (operation.posted) {
            completions.complete(-operation.number, status, status == Status.DONE ? operation.bodyBytes : 0);
        }
        if (operation.waiter != null) {
            LockSupport.unpark(operation.waiter);
        }
    }

    /** Nothing lands in its place any more. */
    void expire(Operation operation) {
        if (operation.status == null) {
            abandon(operation, Status.DEADLINE);
        }
    }

    /** Ends the posted ones that are overdue: nobody waits for them. */
    void expirePosted(long nowNs) {
        for (Operation operation : List.copyOf(operations.values())) {
            if (operation.posted && operation.deadlineNs - nowNs < 0) {
                expire(operation);
            }
        }
    }

    void disconnected() {
        for (Operation operation : List.copyOf(operations.values())) {
            abandon(operation, Status.DISCONNECTED);
        }
    }

    private void abandon(Operation operation, Status status) {
        operation.abandon();
        finish(operation, status);
    }
}
