package io.terrace.channel.verbs;

import io.terrace.channel.ChannelException;
import io.terrace.channel.Completion.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One-sided operations as the regions of a link begin them, wait for them and give them back. Of the threads that wait,
 * whichever finds the lock free looks for the completions of all. Thread-safe.
 */
final class Transfers {
    /** While nothing has landed, a spinning thread polls this seldom: a poll costs more than a look at memory. */
    private static final int LOOKS_BETWEEN_POLLS = 64;

    private final VerbsLink link;
    private final ReentrantLock lock;
    private final Operations operations;
    private final LocalBuffers buffers;

    Transfers(VerbsLink link, ReentrantLock lock, Operations operations, LocalBuffers buffers) {
        this.link = link;
        this.lock = lock;
        this.operations = operations;
        this.buffers = buffers;
    }

    /**
     * Posts an operation, waiting for room when there is none.
     *
     * @param posted null for an operation that somebody waits for, which is never refused for want of room
     */
    Operation begin(
            Attachment range,
            long offset,
            int bytes,
            int bufferBytes,
            @Nullable ByteBuffer source,
            long sumsAt,
            int sumBytes,
            Operation.@Nullable Posted posted,
            long deadlineNs)
            throws IOException {
        lock.lock();
        try {
            Operation operation = null;
            for (int looks = 0; operation == null; looks++) {
                link.requireConnected();
                operation = operations.prepare(offset, bytes, bufferBytes, sumBytes);
                if (operation == null) {
                    // Only who has to wait needs the time: the processor may have been taken from us since it was set.
                    VerbsLink.requireTime(deadlineNs);
                    link.drive();
                    if (posted != null) {
                        operation = operations.prepare(offset, bytes, bufferBytes, sumBytes);
                        if (operation == null) {
                            throw new ChannelException(Status.FAILED, "too many operations are in flight", null);
                        }
                    } else {
                        link.look(looks, deadlineNs);
                    }
                }
            }
            if (source != null) {
                operation.copyFrom(source, buffers);
            }
            operation.posted = posted;
            operation.deadlineNs = deadlineNs;
            try {
                operations.post(operation, range, offset, source != null, sumsAt, sumBytes);
            } catch (IOException e) {
                operation.posted = null;
                link.end(Status.FAILED);
                operations.release(operation);
                throw new ChannelException(Status.FAILED, "the device takes no more", e);
            }
            return operation;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for an operation; throws unless it is DONE. It is still to be released. */
    void await(Operation operation, long deadlineNs) throws IOException {
        for (int looks = 0; !operation.done; looks++) {
            if (operations.hasLanded(operation)
                    || looks % LOOKS_BETWEEN_POLLS == LOOKS_BETWEEN_POLLS - 1
                    || looks > 250) {
                if (lock.tryLock()) {
                    try {
                        link.drive();
                        if (!operation.done) {
                            operations.nudge(operation, System.nanoTime());
                        }
                    } finally {
                        lock.unlock();
                    }
                    if (operation.done) {
                        break;
                    }
                }
            }
            if (deadlineNs - System.nanoTime() <= 0) {
                throw new ChannelException(Status.DEADLINE, "no completion in time", null);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for a completion");
            }
            Backoff.idle(looks);
        }
        if (operation.status != Status.DONE) {
            throw new ChannelException(operation.status, "an operation failed: " + operation.status, null);
        }
    }

    /** Takes an operation back, in whatever state it is. */
    void release(Operation operation) {
        lock.lock();
        try {
            operations.abandon(operation);
        } finally {
            lock.unlock();
        }
    }
}
