package io.terrace.channel.transport;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Completions that wait to be taken, bounded: an operation takes its place when it is posted. Thread-safe. */
public final class CompletionQueue {
    private final int capacity;
    private final Deque<Completion> done = new ArrayDeque<>();
    private int outstanding;
    private long lastOperation;

    public CompletionQueue(int capacity) {
        this.capacity = capacity;
    }

    /** The number of a new operation. */
    public synchronized long begin() throws ChannelException {
        if (outstanding + done.size() >= capacity) {
            throw new ChannelException(
                    Completion.Status.FAILED, capacity + " operations wait to be completed or polled", null);
        }
        outstanding++;
        return ++lastOperation;
    }

    /** Ends an operation that {@link #begin} numbered. */
    public synchronized void complete(long operation, Completion.Status status, int bytes) {
        outstanding--;
        done.add(new Completion(operation, status, bytes));
    }

    /** An operation that is over when it returns. */
    public interface Transfer {
        void run() throws IOException;
    }

    /**
     * Does an operation at once: its completion is there when this returns.
     *
     * @param bytes that it moves when it succeeds
     * @return its number
     */
    public long run(int bytes, Transfer transfer) throws ChannelException {
        long operation = begin();
        Completion.Status status = Completion.Status.DONE;
        try {
            transfer.run();
        } catch (ChannelException e) {
            status = e.status();
        } catch (IOException e) {
            status = Completion.Status.FAILED;
        }
        complete(operation, status, status == Completion.Status.DONE ? bytes : 0);
        return operation;
    }

    /** Takes back {@link #begin}: the operation could not be posted, and completes nowhere. */
    public synchronized void cancel() {
        outstanding--;
    }

    /** Hands out what is complete. */
    public int poll(Consumer<Completion> taker, int most) {
        int taken = 0;
        while (taken < most) {
            Completion completion;
            synchronized (this) {
                completion = done.poll();
            }
            if (completion == null) {
                return taken;
            }
            taker.accept(completion);
            taken++;
        }
        return taken;
    }
}
