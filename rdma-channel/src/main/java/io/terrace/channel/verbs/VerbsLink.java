package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.CompletionChannel;
import io.terrace.channel.verbs.device.ControlFrame;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.common.CloseAll;
import io.terrace.common.SpinBackoff;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One reliable connection. The connecting side polls its own completion queue, whichever thread waits; the accepting side's
 * is polled by its listener for all of them.
 *
 * <p>A failed completion or a disconnect ends the link: the queue pair is destroyed, so that the device writes no more, and
 * everything in flight fails at once. When the other side is gone the link gives back all that it holds; a link that has
 * ended for another reason does when its owner closes it.
 */
public final class VerbsLink implements Closeable {
    /** IBV_WC_REM_ACCESS_ERR: the key is void, or does not allow this. */
    static final int REMOTE_ACCESS_ERROR = 10;

    private static final int POLLED = 16;
    private static final long ATTACH_NS = TimeUnit.SECONDS.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ProtectionDomain domain;
    private final QueuePair pair;
    private final @Nullable CompletionChannel queue;
    private final @Nullable SVCPollCq poll;
    private final IbvWC[] polled = new IbvWC[POLLED];
    private final OneSidedQueue oneSidedQueue;
    private final OneSidedTransfers transfers;
    private final FlowControl flowControl;
    private final ControlMessages messages;
    private boolean closed;
    private boolean failed;
    private volatile boolean ended;

    /**
     * @param queue polled by this link; null when a listener polls
     * @param ranges what the other side may attach; null on the side that has none
     * @param messages whether somebody takes messages; if not, one that comes ends the link
     */
    VerbsLink(
            ProtectionDomain domain,
            QueuePair pair,
            @Nullable CompletionChannel queue,
            @Nullable RangeRegistry ranges,
            int operations,
            boolean messages)
            throws IOException {
        this.domain = domain;
        this.pair = pair;
        this.queue = queue;
        this.flowControl = new FlowControl(pair, ranges, messages);
        this.messages = new ControlMessages(this, lock, changed, flowControl);
        for (int i = 0; i < POLLED; i++) {
            polled[i] = new IbvWC();
        }
        this.poll = queue == null ? null : domain.verbs().pollCQ(queue.queue(), polled, POLLED);
        // Last: it registers memory, which a later failure would leak.
        this.oneSidedQueue = new OneSidedQueue(domain, pair, operations);
        this.transfers = new OneSidedTransfers(this, lock, this.oneSidedQueue, domain.buffers());
    }

    /** Sends a message of at most {@code MessageCodec.MAX_FRAME_BYTES}; when not all is sent in time, the link ends. */
    void send(ByteBuffer message, long timeoutNs) throws IOException {
        messages.send(message, timeoutNs);
    }

    /** The next message, for one thread at a time; null when none came in time or {@link #wakeup} was called. */
    @Nullable
    ByteBuffer receive(long timeoutNs) throws IOException {
        return messages.receive(timeoutNs);
    }

    /** Lets a waiting {@link #receive} return. */
    void wakeup() {
        messages.wakeup();
    }

    VerbsExtent attach(RegionKey key) throws IOException {
        return attach(key, ATTACH_NS);
    }

    /**
     * Shows the key to the owner, who tells where the range is.
     *
     * @throws ChannelException with NO_ACCESS when the key is void or lies about the range
     */
    public VerbsExtent attach(RegionKey key, long timeoutNs) throws IOException {
        if (queue == null) {
            throw new ChannelException(TransferStatus.NO_ACCESS, "the other side has registered nothing", null);
        }
        return new VerbsExtent(this, key, messages.attach(key, timeoutNs));
    }

    /**
     * Attaches a window of the other side's.
     *
     * @throws ChannelException with NO_ACCESS when the key is void
     */
    public WindowWriter window(RegionKey key, long timeoutNs) throws IOException {
        return new WindowWriter(this, key, messages.attach(key, timeoutNs));
    }

    /** Whether nothing can be done with this link any more but close it. */
    public boolean hasEnded() {
        return ended;
    }

    /** May be called again, and while others wait: they are told that the link has ended. */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            // A request that is over already has its own result.
            drive();
            end(TransferStatus.DISCONNECTED);
            if (!closed) {
                closed = true;
                List<Closeable> steps = new ArrayList<>();
                steps.add(oneSidedQueue::close);
                if (queue != null) {
                    steps.add(queue);
                }
                steps.add(pair::free);
                CloseAll.all(steps);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends one frame as it is. */
    void transmit(byte type, long number, ByteBuffer body) throws IOException {
        lock.lock();
        try {
            flowControl.transmit(type, number, body);
        } finally {
            lock.unlock();
        }
    }

    // For the regions of this link.

    RegisteredBuffers buffers() {
        return domain.buffers();
    }

    OneSidedTransfers transfers() {
        return transfers;
    }

    /** Whether there are a credit and a buffer for one more frame. Under the lock. */
    boolean mayAnnounce() {
        return flowControl.maySend();
    }

    /** Puts a frame that says what has landed into a buffer. Under the lock. */
    int placeAnnouncement(long number, ByteBuffer body) {
        return flowControl.place(ControlFrame.LANDED, number, body);
    }

    // For the listener.

    /** Whether the other side attached nothing in time, or nothing that is still good. */
    boolean isOfNoUse(long nowNs) {
        lock.lock();
        try {
            return flowControl.isOfNoUse(nowNs);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the other side has attached something, and neither it nor the device made this link fail. */
    boolean wasOfUse() {
        lock.lock();
        try {
            return !failed && flowControl.hasShownAny();
        } finally {
            lock.unlock();
        }
    }

    /** Takes a completion from a queue that a listener polls. */
    void completed(long workId, int failure, int bytes) {
        lock.lock();
        try {
            if (!ended) {
                take(workId, failure, bytes);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    // Under the lock.

    void drive() {
        SVCPollCq call = poll;
        if (call == null) {
            return;
        }
        try {
            int taken = POLLED;
            while (!ended && taken == POLLED) {
                taken = call.execute().getPolls();
                for (int i = 0; i < taken && !ended; i++) {
                    take(polled[i].getWr_id(), polled[i].getStatus(), polled[i].getByte_len());
                }
            }
        } catch (IOException e) {
            end(TransferStatus.FAILED);
        }
    }

    private void take(long workId, int failure, int bytes) {
        long kind = QueuePair.kind(workId);
        int index = QueuePair.index(workId);
        if (kind == QueuePair.ONE_SIDED) {
            oneSidedQueue.completed(index, failure);
        } else if (kind == QueuePair.SEND) {
            pair.sent(index);
        } else if (kind == QueuePair.NUDGE) {
            oneSidedQueue.nudged();
        }
        if (failure != 0) {
            failed = true;
            end(TransferStatus.DISCONNECTED);
            return;
        }
        try {
            if (kind == QueuePair.RECEIVE) {
                flowControl.hear(index, bytes);
            }
            flowControl.sendWaiting();
        } catch (IOException e) {
            failed = true;
            end(TransferStatus.FAILED);
        }
    }

    /** Looks for completions, or waits for whoever does. */
    void look(int looks, long deadlineNs) throws IOException {
        if (poll != null) {
            drive();
            lock.unlock();
            try {
                SpinBackoff.idle(looks * 8);
            } finally {
                lock.lock();
            }
        } else {
            try {
                changed.awaitNanos(Math.max(1, deadlineNs - System.nanoTime()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while waiting for the other side");
        }
    }

    void end(TransferStatus status) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            pair.destroy();
        } catch (IOException e) {
            VerbsProvider.LOG.warn("A queue pair cannot be destroyed", e);
        }
        oneSidedQueue.failAll(status);
        changed.signalAll();
    }

    void requireConnected() throws ChannelException {
        if (ended) {
            throw new ChannelException(TransferStatus.DISCONNECTED, "the link has ended", null);
        }
    }

    static void requireTime(long deadlineNs) throws ChannelException {
        if (deadlineNs - System.nanoTime() <= 0) {
            throw new ChannelException(TransferStatus.DEADLINE, "no time is left", null);
        }
    }
}
