package io.terrace.datanode.hdfs.volume;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;

/**
 * Lets a move wait for those who looked up the old place of a replica and have yet to open its files. Stock looks a
 * replica up under its lock and opens the files without it; who opens late would find no file, fail the client's read and
 * start a check of the disk.
 *
 * <p>Openers count themselves in one of two counters of one of a few stripes, that of the stripe's present epoch. A move begins
 * another epoch and waits until the counter of the one before is zero, so openers wait for nobody, not even where another
 * hangs: this is sleepable read-copy-update (McKenney 2006). Thread-safe.
 */
public final class OpenBarrier {

    private static final int STRIPES = 64;

    /** Between counters in use: 128 bytes, so that they share no pair of cache lines. */
    private static final int SPACING = 32;

    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** By stripe and parity of the epoch: who is opening. */
    private final AtomicIntegerArray openers = new AtomicIntegerArray(STRIPES * 2 * SPACING);

    private final AtomicIntegerArray epochs = new AtomicIntegerArray(STRIPES);
    private final Lock[] awaiting = new Lock[STRIPES];

    /** Nobody opens anything yet. */
    OpenBarrier() {
        for (int i = 0; i < STRIPES; i++) {
            awaiting[i] = new ReentrantLock();
        }
    }

    /** Opens files of a replica, and once more if a move ended before they were open. */
    public <T extends @Nullable Object> T open(long blockId, CallableRaisingIOE<T> opening, BooleanSupplier isWhole)
            throws IOException {
        int counter = enter(blockId);
        try {
            T opened = opening.apply();
            return opened != null || !isWhole.getAsBoolean() ? opened : opening.apply();
        } catch (IOException e) {
            if (!isWhole.getAsBoolean()) {
                throw e;
            }
            return opening.apply();
        } finally {
            leave(counter);
        }
    }

    /** To be called before the replica is looked up; answers what to {@link #leave} once its files are open. Waits for nobody. */
    public int enter(long blockId) {
        int stripe = stripe(blockId);
        while (true) {
            int epoch = epochs.get(stripe);
            int counter = counter(stripe, epoch);
            openers.incrementAndGet(counter);
            if (epochs.get(stripe) == epoch) {
                return counter;
            }
            // A move that began meanwhile may not have seen it.
            openers.decrementAndGet(counter);
        }
    }

    /** The files of whoever entered are open. */
    public void leave(int counter) {
        openers.decrementAndGet(counter);
    }

    /**
     * Waits until all who began before this call have opened their files.
     *
     * @return false if they need longer than that, as on a disk that hangs
     */
    boolean await(long blockId, long timeoutMs) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        int stripe = stripe(blockId);
        // One at a time: an epoch begins only when nobody of the epoch before the present one is left.
        if (!awaiting[stripe].tryLock(timeoutMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            int epoch = epochs.get(stripe);
            if (!awaitNobody(counter(stripe, epoch + 1), deadlineNs)) {
                return false;
            }
            epochs.set(stripe, epoch + 1);
            return awaitNobody(counter(stripe, epoch), deadlineNs);
        } finally {
            awaiting[stripe].unlock();
        }
    }

    private boolean awaitNobody(int counter, long deadlineNs) throws InterruptedException {
        while (openers.get(counter) != 0) {
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(POLL_NS, leftNs));
        }
        return true;
    }

    private static int counter(int stripe, int epoch) {
        return (stripe * 2 + (epoch & 1)) * SPACING;
    }

    private static int stripe(long blockId) {
        return (int) Math.floorMod(blockId, (long) STRIPES);
    }
}
