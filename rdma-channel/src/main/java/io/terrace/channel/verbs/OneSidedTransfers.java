package io.terrace.channel.verbs;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.common.SpinBackoff;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

    /** Posts an operation, waiting for room when there is none. */
    OneSidedRequest begin(
            Attachment range,
            long offset,
            int bytes,
            int bufferBytes,
            @Nullable ByteBuffer source,
            long sumsAt,
            int sumBytes,
            long deadlineNs)
            throws IOException {
        lock.lock();
        try {
            OneSidedRequest operation = null;
            for (int looks = 0; operation == null; looks++) {
                link.requireConnected();
                operation = oneSidedQueue.prepare(offset, bytes, bufferBytes, sumBytes);
                if (operation == null) {
                    // Read the clock only if it must wait: the thread may have been descheduled meanwhile.
                    VerbsLink.requireTime(deadlineNs);
                    link.drive();
                    link.look(looks, deadlineNs);
                }
            }
            try {
                if (source != null) {
                    operation.copyFrom(source, buffers);
                }
                oneSidedQueue.post(operation, range, offset, source != null, sumsAt, sumBytes);
            } catch (IOException | RuntimeException | Error e) {
                throw notPosted(List.of(operation), e);
            }
            return operation;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes bytes into a window and announces them, in one post for each of its parts; waits for nothing.
     *
     * @param announcement body of the frame that announces them
     * @return false when that cannot be done now, for lack of buffers or of credits
     * @throws ChannelException when the link has ended
     */
    boolean land(Attachment range, int at, ByteBuffer source, long number, ByteBuffer announcement) throws IOException {
        lock.lock();
        try {
            link.drive();
            link.requireConnected();
            List<OneSidedRequest> parts = link.mayAnnounce() ? prepare(at, source) : List.of();
            if (parts.isEmpty()) {
                return false;
            }
            long offset = at;
            for (int i = 0; i < parts.size(); i++) {
                OneSidedRequest part = parts.get(i);
                boolean last = i + 1 == parts.size();
                int frame = last ? link.placeAnnouncement(number, announcement) : -1;
                try {
                    oneSidedQueue.postLanding(part, range, offset, frame, announcement.remaining());
                } catch (IOException | RuntimeException | Error e) {
                    throw notPosted(parts.subList(i, parts.size()), e);
                }
                offset += part.bytes;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives back what could not be posted: its buffers are those of all connections of the device. The link ends first, since
     * the device may have taken a part of it.
     */
    private ChannelException notPosted(List<OneSidedRequest> operations, Throwable why) {
        link.end(TransferStatus.FAILED);
        operations.forEach(oneSidedQueue::release);
        return new ChannelException(TransferStatus.FAILED, "the device takes no more", why);
    }

    /** Operations with the bytes in their buffers; none when there is no room for all. */
    private List<OneSidedRequest> prepare(int at, ByteBuffer source) {
        List<OneSidedRequest> parts = new ArrayList<>();
        ByteBuffer left = source.duplicate();
        while (left.hasRemaining()) {
            int bytes = Math.min(left.remaining(), OneSidedRequest.MAX_BYTES);
            OneSidedRequest part = oneSidedQueue.prepare(
                    at + left.position() - source.position(), bytes, RegisteredBuffers.LARGE_BYTES, 0);
            if (part == null) {
                parts.forEach(oneSidedQueue::release);
                return List.of();
            }
            part.copyFrom(left, buffers);
            left.position(left.position() + bytes);
            parts.add(part);
        }
        return parts;
    }

    /** Waits for an operation; throws unless it is DONE. It is still to be released. */
    void await(OneSidedRequest operation, long deadlineNs) throws IOException {
        for (int looks = 0; !operation.done; looks++) {
            if (oneSidedQueue.hasLanded(operation)
                    || looks % LOOKS_BETWEEN_POLLS == LOOKS_BETWEEN_POLLS - 1
                    || looks > 250) {
                if (lock.tryLock()) {
                    try {
                        link.drive();
                        if (!operation.done) {
                            oneSidedQueue.nudge(operation, System.nanoTime());
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
                throw new ChannelException(TransferStatus.DEADLINE, "no completion in time", null);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for a completion");
            }
            SpinBackoff.idle(looks);
        }
        if (operation.status != TransferStatus.DONE) {
            throw new ChannelException(operation.status, "an operation failed: " + operation.status, null);
        }
    }

    /** Takes an operation back, in whatever state it is. */
    void release(OneSidedRequest operation) {
        lock.lock();
        try {
            oneSidedQueue.abandon(operation);
        } finally {
            lock.unlock();
        }
    }
}
