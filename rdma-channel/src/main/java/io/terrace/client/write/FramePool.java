package io.terrace.client.write;

import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.CleanerUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lends the memory of frames, direct buffers of three sizes, and bounds what all files of a process hold: their writers
 * wait. What is given back is lent again, or freed at once: nothing of it waits for a garbage collection, so lent and free
 * memory together are within the same bound. What was free all the time is freed after some seconds, but for a rest.
 *
 * <p>A file that holds none is always lent one of the smallest size, so that no file waits for another that waits itself; what
 * is lent is at most the limit and that much for each open file. An eighth of the limit is left to files that hold little, so
 * that one whose DataNodes are slow does not slow all others down. Thread-safe.
 */
final class FramePool {
    private static final Logger LOG = LoggerFactory.getLogger(FramePool.class);

    /** A file. */
    interface Holder {
        /** Memory of the frames that will be acknowledged. */
        long heldBytes();

        /** As much of it as is bounded for one file. */
        default long boundedBytes() {
            return heldBytes();
        }
    }

    /** For data of 64 KB, 256 KB and 1 MB, and its header and checksums. */
    private static final int[] SIZES = {65 << 10, 260 << 10, 1_040 << 10};

    static final int LARGEST = SIZES.length - 1;
    static final int SMALLEST_BYTES = SIZES[0];

    /** Memory that is kept while nobody has used it for {@link #IDLE_NS}. */
    private static final long KEPT_BYTES = 16L << 20;

    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(10);

    /**
     * What of one file is bounded: enough that neither side waits for the other, and little enough for a processor's cache. A file
     * that holds no more than that may have all of the limit.
     */
    private static final long FILE_BYTES = 8L << 20;

    /** What is left to files that hold little is this part of the limit: 8 MB by default, what one file may have unsent. */
    private static final int LEFT_PART = 8;

    /**
     * Where frames that are not full take this part of the limit, new ones are of the smallest size: a file that is idle keeps its
     * frame, however little is in it.
     */
    private static final int FILLING_PART = 4;

    /** Between two tries to start a thread. */
    private static final long TRIMMER_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final long limitBytes;
    private final Runnable waited;
    private final ThreadFactory threads;
    private final ArrayDeque<ByteBuffer>[] free;
    private long lentBytes;

    /** Part of it: of frames that are not full yet. */
    private long fillingBytes;

    private long freeBytes;

    /** The least that was free since the last {@link #trim}. */
    private long leastFreeBytes;

    private boolean trimming;
    private long nextTrimmerNs = System.nanoTime();

    /** @param waited called when a file has to wait */
    FramePool(long limitBytes, Runnable waited) {
        this(limitBytes, waited, DaemonThreads.named("terrace-frame-pool"));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    FramePool(long limitBytes, Runnable waited, ThreadFactory threads) {
        this.limitBytes = limitBytes;
        this.waited = waited;
        this.threads = threads;
        this.free = new ArrayDeque[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /**
     * Memory of a size for a frame that is filled; waits until it may be lent. Smaller where that is all there may be.
     *
     * <p>An interrupt ends the wait: the file gets memory beyond its share then, and the thread stays interrupted, as
     * when stock's writer is interrupted while it waits. Up to twice the share; after that interrupts are held back.
     *
     * @param file that it is for
     */
    synchronized ByteBuffer take(int size, Holder file) {
        int wanted = fillingBytes < limitBytes / FILLING_PART ? size : 0;
        boolean interrupted = false;
        boolean waits = false;
        while (file.heldBytes() > 0 && !mayLend(wanted, file, interrupted)) {
            if (wanted > 0 && interrupted) {
                wanted = 0;
                continue;
            }
            if (!waits) {
                waits = true;
                waited.run();
            }
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (lentBytes + SIZES[wanted] > limitBytes) {
            wanted = 0;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return lend(wanted);
    }

    private boolean mayLend(int size, Holder file, boolean interrupted) {
        long heldBytes = file.heldBytes();
        if (interrupted) {
            return file.boundedBytes() < 2 * FILE_BYTES && heldBytes < limitBytes + 2 * FILE_BYTES;
        }
        long most = heldBytes + SIZES[size] <= FILE_BYTES ? limitBytes : limitBytes - limitBytes / LEFT_PART;
        return file.boundedBytes() + SIZES[size] <= FILE_BYTES && lentBytes + SIZES[size] <= most;
    }

    private ByteBuffer lend(int size) {
        ByteBuffer kept = free[size].poll();
        if (kept == null) {
            // Other sizes give way.
            free(lentBytes + freeBytes + SIZES[size] - limitBytes);
        } else {
            freeBytes -= SIZES[size];
        }
        leastFreeBytes = Math.min(leastFreeBytes, freeBytes);
        ByteBuffer memory = kept == null ? ByteBuffer.allocateDirect(SIZES[size]) : kept;
        lentBytes += SIZES[size];
        fillingBytes += SIZES[size];
        return memory;
    }

    /** Frees so many bytes, or all that are free; the largest first, and of these the one that was used last last. */
    private void free(long bytes) {
        long leftBytes = bytes;
        for (int i = LARGEST; i >= 0; i--) {
            while (leftBytes > 0 && !free[i].isEmpty()) {
                free(free[i].removeLast());
                freeBytes -= SIZES[i];
                leftBytes -= SIZES[i];
            }
        }
    }

    /** Nobody uses it any more, nor a part of it. */
    private static void free(ByteBuffer memory) {
        if (!CleanerUtil.UNMAP_SUPPORTED) {
            return;
        }
        try {
            CleanerUtil.getCleaner().freeBuffer(memory);
        } catch (IOException e) {
            LOG.debug("Left to the garbage collector: {} bytes", memory.capacity(), e);
        }
    }

    /** Frees what was free since the last time, but for a rest; whether there is more than that. */
    synchronized boolean trim() {
        free(Math.min(leastFreeBytes, freeBytes - KEPT_BYTES));
        leastFreeBytes = freeBytes;
        trimming = freeBytes > KEPT_BYTES;
        return trimming;
    }

    private void trimIdle() {
        try {
            boolean more = true;
            while (more) {
                TimeUnit.NANOSECONDS.sleep(IDLE_NS);
                more = trim();
            }
        } catch (InterruptedException e) {
            LOG.debug("Free memory is kept", e);
        }
    }

    /** The frame of this memory is filled no further. */
    synchronized void filled(ByteBuffer memory) {
        fillingBytes -= memory.capacity();
    }

    /** Gives memory back, of a frame that was {@link #filled}. */
    synchronized void give(ByteBuffer memory) {
        int bytes = memory.capacity();
        lentBytes -= bytes;
        if (lentBytes + freeBytes + bytes <= limitBytes) {
            // What a processor's cache may still hold is lent first.
            free[Arrays.binarySearch(SIZES, bytes)].push(memory);
            freeBytes += bytes;
        } else {
            free(memory);
        }
        notifyAll();
        if (freeBytes > KEPT_BYTES && !trimming && System.nanoTime() - nextTrimmerNs >= 0) {
            leastFreeBytes = freeBytes;
            trimming = DaemonThreads.tryStart(threads.newThread(this::trimIdle));
            nextTrimmerNs = System.nanoTime() + TRIMMER_PAUSE_NS;
        }
    }

    /** To be called when a file holds nothing any more that could be given back. */
    synchronized void wakeWaiting() {
        notifyAll();
    }

    synchronized long freeBytes() {
        return freeBytes;
    }

    synchronized long lentBytes() {
        return lentBytes;
    }
}
