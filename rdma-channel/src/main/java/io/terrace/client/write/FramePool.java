package io.terrace.client.write;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * Lends the memory of frames, direct buffers of three sizes, and bounds what all files of a process hold: their writers
 * wait. A file that holds none is always lent one of the smallest size, so that no file waits for another that waits
 * itself; what is lent is at most the limit and that much for each open file. Thread-safe.
 */
final class FramePool {
    /** For data of 64 KB, 256 KB and 1 MB, and its header and checksums. */
    private static final int[] SIZES = {65 << 10, 260 << 10, 1_040 << 10};

    static final int LARGEST = SIZES.length - 1;
    static final int SMALLEST_BYTES = SIZES[0];

    /** Memory that is kept while nobody holds it. */
    private static final long KEPT_BYTES = 16L << 20;

    /** What one file may hold: enough that neither side waits for the other, and little enough for a processor's cache. */
    private static final long FILE_BYTES = 8L << 20;

    private final long limitBytes;
    private final ArrayDeque<ByteBuffer>[] free;
    private long lentBytes;
    private long freeBytes;

    @SuppressWarnings({"unchecked", "rawtypes"})
    FramePool(long limitBytes) {
        this.limitBytes = limitBytes;
        this.free = new ArrayDeque[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            free[i] = new ArrayDeque<>();
        }
    }

    /**
     * Memory of a size; waits until it may be lent. Smaller where that is all there may be.
     *
     * <p>An interrupt ends the wait: the file gets memory beyond its share then, and the thread stays interrupted, as
     * when stock's writer is interrupted while it waits. Up to twice the share; after that interrupts are held back.
     *
     * @param heldBytes by the file now
     */
    synchronized ByteBuffer take(int size, LongSupplier heldBytes) {
        int wanted = size;
        boolean interrupted = false;
        while (heldBytes.getAsLong() > 0 && !mayLend(wanted, heldBytes.getAsLong(), interrupted)) {
            if (wanted > 0 && interrupted) {
                wanted = 0;
                continue;
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

    private boolean mayLend(int size, long heldBytes, boolean interrupted) {
        return interrupted
                ? heldBytes < 2 * FILE_BYTES
                : heldBytes + SIZES[size] <= FILE_BYTES && lentBytes + SIZES[size] <= limitBytes;
    }

    private ByteBuffer lend(int size) {
        ByteBuffer kept = free[size].poll();
        if (kept != null) {
            freeBytes -= SIZES[size];
        }
        ByteBuffer memory = kept == null ? ByteBuffer.allocateDirect(SIZES[size]) : kept;
        lentBytes += SIZES[size];
        return memory;
    }

    /** Gives memory back. */
    synchronized void give(ByteBuffer memory) {
        int bytes = memory.capacity();
        lentBytes -= bytes;
        for (int i = 0; i < SIZES.length; i++) {
            if (bytes == SIZES[i] && freeBytes + bytes <= Math.min(KEPT_BYTES, limitBytes - lentBytes)) {
                // What a processor's cache may still hold is lent first.
                free[i].push(memory);
                freeBytes += bytes;
            }
        }
        notifyAll();
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
