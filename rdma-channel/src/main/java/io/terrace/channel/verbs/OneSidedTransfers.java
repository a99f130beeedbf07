package io.terrace.channel.verbs;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.Completion.Status;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.common.SpinBackoff;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One-sided operations as the regions of a link begin them, wait for them and give them back. Of the threads that wait,
 * whichever finds the lock free looks for the completions of all. Thread-safe.
 */
final class OneSidedTransfers {
    /** While nothing has landed, a spinning thread polls this seldom: a poll costs more than a look at memory. */
    private static final int LOOKS_BETWEEN_POLLS = 64;

    private final VerbsLink link;
    private final ReentrantLock lock;
    private final OneSidedQueue oneSidedQueue;
    private final RegisteredBuffers buffers;

    OneSidedTransfers(VerbsLink link, ReentrantLock lock, OneSidedQueue oneSidedQueue, RegisteredBuffers buffers) {
        this.link = link;
        this.lock = lock;
        this.oneSidedQueue = oneSidedQueue;
        this.buffers = buffers;
    }

    /**
     * Posts an operation, waiting for room when there is none.
     *
     * @param posted null for an operation that somebody waits for, which is never refused for want of room
     */
    OneSidedRequest begin(
            Attachment range,
            long offset,
            int bytes,
            int bufferBytes,
            @Nullable ByteBuffer source,
            long sumsAt,
            int sumBytes,
            OneSidedRequest.@Nullable Posted posted,
            long deadlineNs)
            throws IOException {
        lock.lock();
        try {
            OneSidedRequest oneSidedRequest = null;
            for (int looks = 0; oneSidedRequest == null; looks++) {
                link.requireConnected();
                oneSidedRequest = oneSidedQueue.prepare(offset, bytes, bufferBytes, sumBytes);
                if (oneSidedRequest == null) {
                    // Read the clock only if it must wait: the thread may have been descheduled meanwhile.
                    VerbsLink.requireTime(deadlineNs);
                    link.drive();
                    if (posted != null) {
                        oneSidedRequest = oneSidedQueue.prepare(offset, bytes, bufferBytes, sumBytes);
                        if (oneSidedRequest == null) {
                            throw new ChannelException(Status.FAILED, "too many operations are in flight", null);
                        }
                    } else {
                        link.look(looks, deadlineNs);
                    }
                }
            }
            if (source != null) {
                oneSidedRequest.copyFrom(source, buffers);
            }
            oneSidedRequest.posted = posted;
            oneSidedRequest.deadlineNs = deadlineNs;
            try {
                oneSidedQueue.post(oneSidedRequest, range, offset, source != null, sumsAt, sumBytes);
            } catch (IOException e) {
                oneSidedRequest.posted = null;
                link.end(Status.FAILED);
                oneSidedQueue.release(oneSidedRequest);
                throw new ChannelException(Status.FAILED, "the device takes no more", e);
            }
            return oneSidedRequest;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for an operation; throws unless it is DONE. It is still to be released. */
    void await(OneSidedRequest oneSidedRequest, long deadlineNs) throws IOException {
        for (int looks = 0; !oneSidedRequest.done; looks++) {
            if (oneSidedQueue.hasLanded(oneSidedRequest)
                    || looks % LOOKS_BETWEEN_POLLS == LOOKS_BETWEEN_POLLS - 1
                    || looks > 250) {
                if (lock.tryLock()) {
                    try {
                        link.drive();
                        if (!oneSidedRequest.done) {
                            oneSidedQueue.nudge(oneSidedRequest, System.nanoTime());
                        }
                    } finally {
                        lock.unlock();
                    }
                    if (oneSidedRequest.done) {
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
            SpinBackoff.idle(looks);
        }
        if (oneSidedRequest.status != Status.DONE) {
            throw new ChannelException(oneSidedRequest.status, "an operation failed: " + oneSidedRequest.status, null);
        }
    }

    /** Takes an operation back, in whatever state it is. */
    void release(OneSidedRequest oneSidedRequest) {
        lock.lock();
        try {
            oneSidedQueue.abandon(oneSidedRequest);
        } finally {
            lock.unlock();
        }
    }
}
