package io.terrace.channel.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import io.terrace.channel.ChannelException;
import io.terrace.channel.Completion;
import io.terrace.channel.Completion.Status;
import io.terrace.channel.CompletionQueue;
import io.terrace.channel.Link;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.RegionKey;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One reliable connection. The connecting side polls its own completion queue, whichever thread waits; the accepting side's
 * is polled by its listener for all of them.
 *
 * <p>A failed completion or a disconnect ends the link: the queue pair is destroyed, so that the device writes no more, and
 * everything in flight fails at once. A link that has ended is replaced by its owner, who closes it.
 */
public final class VerbsLink implements Link {
    /** IBV_WC_REM_ACCESS_ERR: the key is void, or does not allow this. */
    static final int REMOTE_ACCESS_ERROR = 10;

    private static final int MAX_COMPLETIONS = 1024;
    private static final int POLLED = 16;
    private static final int MAX_WAITING_ANSWERS = 64;
    private static final int LOOKS_BETWEEN_POLLS = 64;
    private static final long ATTACH_NS = TimeUnit.SECONDS.toNanos(2);

    private record Waiting(byte type, long number, ByteBuffer body) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Domain domain;
    private final QueuePair pair;
    private final @Nullable IbvCQ queue;
    private final @Nullable SVCPollCq poll;
    private final IbvWC[] polled = new IbvWC[POLLED];
    private final @Nullable RangeBook ranges;
    private final CompletionQueue completions = new CompletionQueue(MAX_COMPLETIONS);
    private final Operations operations;
    private final Mailbox mailbox = new Mailbox();
    private final Map<Long, ByteBuffer> answers = new HashMap<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private int credits = ControlFrame.WINDOW;
    private long lastNumber;
    private boolean woken;
    private boolean closed;
    private volatile boolean ended;

    /**
     * @param queue polled by this link; null when a listener polls
     * @param ranges what the other side may attach; null on the side that has none
     */
    VerbsLink(Domain domain, QueuePair pair, @Nullable IbvCQ queue, @Nullable RangeBook ranges, int operations)
            throws IOException {
        this.domain = domain;
        this.pair = pair;
        this.queue = queue;
        this.ranges = ranges;
        this.operations = new Operations(domain, pair, completions, operations);
        for (int i = 0; i < POLLED; i++) {
            polled[i] = new IbvWC();
        }
        this.poll = queue == null ? null : domain.verbs().pollCQ(queue, polled, POLLED);
    }

    @Override
    public void send(ByteBuffer message, long timeoutNs) throws IOException {
        if (message.remaining() > MessageCodec.MAX_FRAME_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes");
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        ByteBuffer left = message.duplicate();
        lock.lock();
        try {
            boolean last;
            do {
                int bytes = Math.min(left.remaining(), ControlFrame.MAX_BODY_BYTES);
                ByteBuffer body = left.slice(left.position(), bytes);
                left.position(left.position() + bytes);
                last = !left.hasRemaining();
                for (int looks = 0; !ended && (credits == 0 || !pair.maySend()); looks++) {
                    if (deadlineNs - System.nanoTime() <= 0) {
                        end(Status.DEADLINE);
                        throw new SocketTimeoutException("the other side does not take messages in time");
                    }
                    look(looks, deadlineNs);
                }
                requireOpen();
                transmit(last ? ControlFrame.MESSAGE : ControlFrame.PART, 0, body);
            } while (!last);
            message.position(message.limit());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
        long deadlineNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            for (int looks = 0; ; looks++) {
                drive();
                ByteBuffer message = mailbox.take();
                if (message != null) {
                    payCredits();
                    return message;
                }
                requireOpen();
                if (woken || deadlineNs - System.nanoTime() <= 0) {
                    woken = false;
                    return null;
                }
                look(looks, deadlineNs);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeup() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** InfiniBand does not tell. */
    @Override
    public @Nullable String peerUser() {
        return null;
    }

    @Override
    public VerbsRegion attach(RegionKey key) throws IOException {
        return attach(key, ATTACH_NS);
    }

    /** Shows the key to the owner, who tells where the range is. */
    public VerbsRegion attach(RegionKey key, long timeoutNs) throws IOException {
        if (queue == null) {
            throw new ChannelException(Status.NO_ACCESS, "the other side has registered nothing", null);
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        lock.lock();
        try {
            long number = ++lastNumber;
            for (int looks = 0; !ended && (credits == 0 || !pair.maySend()); looks++) {
                requireTime(deadlineNs);
                look(looks, deadlineNs);
            }
            requireConnected();
            transmit(ControlFrame.ATTACH, number, Attachment.request(key));
            answers.put(number, Attachment.refusal().limit(0));
            try {
                for (int looks = 0; ; looks++) {
                    ByteBuffer answer = answers.get(number);
                    if (answer != null && answer.hasRemaining()) {
                        if (Attachment.isRefusal(answer)) {
                            throw new ChannelException(Status.NO_ACCESS, "the key is void", null);
                        }
                        return new VerbsRegion(this, key, Attachment.decode(answer, key.lengthBytes()));
                    }
                    requireConnected();
                    requireTime(deadlineNs);
                    look(looks, deadlineNs);
                }
            } finally {
                answers.remove(number);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int poll(Consumer<Completion> taker, int most) {
        lock.lock();
        try {
            drive();
            operations.expire(System.nanoTime());
        } finally {
            lock.unlock();
        }
        return completions.poll(taker, most);
    }

    /** Whether nothing can be done with this link any more but close it. */
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            end(Status.DISCONNECTED);
            if (!closed) {
                closed = true;
                operations.close();
                if (queue != null) {
                    domain.verbs().destroyCQ(queue);
                }
                pair.free();
            }
        } finally {
            lock.unlock();
        }
    }

    // For the regions of this link.

    LocalBuffers buffers() {
        return domain.buffers();
    }

    CompletionQueue completions() {
        return completions;
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
                requireConnected();
                requireTime(deadlineNs);
                operation = operations.prepare(offset, bytes, bufferBytes, sumBytes);
                if (operation == null) {
                    drive();
                    if (posted != null) {
                        operation = operations.prepare(offset, bytes, bufferBytes, sumBytes);
                        if (operation == null) {
                            throw new ChannelException(Status.FAILED, "too many operations are in flight", null);
                        }
                    } else {
                        look(looks, deadlineNs);
                    }
                }
            }
            if (source != null) {
                operation.copyFrom(source, domain.buffers());
            }
            operation.posted = posted;
            operation.deadlineNs = deadlineNs;
            try {
                operations.post(operation, range, offset, source != null, sumsAt, sumBytes);
            } catch (IOException e) {
                operation.posted = null;
                end(Status.FAILED);
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
                        drive();
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

    // For the listener and for connection events.

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

    /** The other side, or the device, is gone. */
    void disconnected() {
        lock.lock();
        try {
            end(Status.DISCONNECTED);
        } finally {
            lock.unlock();
        }
    }

    int inFlight() {
        lock.lock();
        try {
            return operations.inFlight();
        } finally {
            lock.unlock();
        }
    }

    // Under the lock.

    private void drive() {
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
            end(Status.FAILED);
        }
    }

    private void take(long workId, int failure, int bytes) {
        long kind = QueuePair.kind(workId);
        int index = QueuePair.index(workId);
        if (kind == QueuePair.ONE_SIDED) {
            operations.completed(index, failure);
        } else if (kind == QueuePair.SEND) {
            pair.sent(index);
        }
        if (failure != 0) {
            end(Status.DISCONNECTED);
            return;
        }
        try {
            if (kind == QueuePair.RECEIVE) {
                hear(index, bytes);
            }
            sendWaiting();
        } catch (IOException e) {
            end(Status.FAILED);
        }
    }

    private void hear(int buffer, int bytes) throws IOException {
        int at = pair.received(buffer);
        ControlFrame frame = ControlFrame.get(pair.frames(), at, bytes);
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        body.put(0, pair.frames(), at + ControlFrame.HEADER_BYTES, frame.bodyBytes());
        pair.receiveAgain(buffer);
        credits += frame.credits();
        if (credits > ControlFrame.WINDOW) {
            throw new MalformedMessageException("more credits than frames were sent");
        }
        switch (frame.type()) {
            case ControlFrame.PART, ControlFrame.MESSAGE -> mailbox.part(body, frame.type() == ControlFrame.MESSAGE);
            case ControlFrame.ATTACH -> {
                mailbox.owe();
                Attachment found = ranges == null ? null : ranges.find(Attachment.requested(body));
                answer(frame.number(), found == null ? Attachment.refusal() : found.encode());
            }
            case ControlFrame.ATTACHED -> {
                mailbox.owe();
                // A late answer is nobody's any more.
                answers.replace(frame.number(), body);
            }
            default -> {}
        }
        payCredits();
    }

    private void answer(long number, ByteBuffer body) throws IOException {
        if (waiting.size() >= MAX_WAITING_ANSWERS) {
            throw new MalformedMessageException("more attaches than answers are taken");
        }
        waiting.add(new Waiting(ControlFrame.ATTACHED, number, body));
        sendWaiting();
    }

    private void sendWaiting() throws IOException {
        while (!waiting.isEmpty() && credits > 0 && pair.maySend()) {
            Waiting next = waiting.remove();
            transmit(next.type, next.number, next.body);
        }
    }

    void transmit(byte type, long number, ByteBuffer body) throws IOException {
        credits--;
        pair.send(type, mailbox.pay(), number, body);
    }

    private void payCredits() throws IOException {
        if (mailbox.owed() >= ControlFrame.WINDOW / 2 && pair.maySend()) {
            pair.send(ControlFrame.CREDIT, mailbox.pay(), 0, ByteBuffer.allocate(0));
        }
    }

    /** Looks for completions, or waits for whoever does. */
    private void look(int looks, long deadlineNs) throws IOException {
        if (poll != null) {
            drive();
            lock.unlock();
            try {
                Backoff.idle(looks * 8);
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

    private void end(Status status) {
        if (ended) {
            return;
        }
        ended = true;
        try {
            pair.destroy();
        } catch (IOException e) {
            VerbsProvider.LOG.warn("A queue pair cannot be destroyed", e);
        }
        operations.failAll(status);
        changed.signalAll();
    }

    private void requireOpen() throws EOFException {
        if (ended) {
            throw new EOFException("the other side is gone");
        }
    }

    private void requireConnected() throws ChannelException {
        if (ended) {
            throw new ChannelException(Status.DISCONNECTED, "the link has ended", null);
        }
    }

    private static void requireTime(long deadlineNs) throws ChannelException {
        if (deadlineNs - System.nanoTime() <= 0) {
            throw new ChannelException(Status.DEADLINE, "no time is left", null);
        }
    }
}
