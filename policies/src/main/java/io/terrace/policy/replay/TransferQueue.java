package io.terrace.policy.replay;

import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.Arrays;

/**
 * Climbing moves under way, first come first served: each waits for its share of the byte budget and then for the
 * promotion delay, so they arrive in the order in which they joined. An object has at most one move that counts, the
 * latest.
 */
final class TransferQueue {

    private final Int2LongOpenHashMap latest = new Int2LongOpenHashMap();
    private final ReplayConditions replayConditions;
    private final int limit;
    private long[] readyMs = new long[64];
    private int[] objects = new int[64];
    private long[] sizes = new long[64];
    private int[] toTiers = new int[64];
    private long head;
    private long tail;
    /** The first that has not begun to move; until then its time is when it joined. */
    private long begun;

    private double freeAtMs;

    TransferQueue(ReplayConditions replayConditions) {
        this.replayConditions = replayConditions;
        limit = replayConditions.queuedMoves();
        latest.defaultReturnValue(-1);
    }

    /** Whether the move found room in the line. */
    boolean join(long nowMs, int object, long sizeBytes, int toTier) {
        if (tail - head >= limit) {
            return false;
        }
        if (tail - head == objects.length) {
            grow();
        }
        int at = (int) (tail & (objects.length - 1));
        readyMs[at] = nowMs;
        objects[at] = object;
        sizes[at] = sizeBytes;
        toTiers[at] = toTier;
        latest.put(object, tail++);
        return true;
    }

    void cancel(int object) {
        latest.remove(object);
    }

    /**
     * When the first in line arrives; {@link Long#MAX_VALUE} when no transfer has begun by now. What was
     * called off before it began takes nothing of the budget.
     */
    long readyMs(long nowMs) {
        while (begun < tail && Math.max(freeAtMs, readyMs[place(begun)]) <= nowMs) {
            begin(place(begun));
        }
        return head == begun ? Long.MAX_VALUE : readyMs[place(head)];
    }

    private void begin(int at) {
        boolean wanted = latest.get(objects[at]) == begun++;
        if (wanted && replayConditions.moveBytesPerS() > 0) {
            freeAtMs = Math.max(freeAtMs, readyMs[at]) + sizes[at] * 1000.0 / replayConditions.moveBytesPerS();
        } else {
            freeAtMs = Math.max(freeAtMs, readyMs[at]);
        }
        readyMs[at] = (long) Math.ceil(freeAtMs) + replayConditions.promotionDelayMs();
    }

    int object() {
        return objects[at()];
    }

    long sizeBytes() {
        return sizes[at()];
    }

    int toTier() {
        return toTiers[at()];
    }

    /** Takes the first out of the line; whether its move still counts. */
    boolean leave() {
        int object = object();
        boolean wanted = latest.get(object) == head;
        if (wanted) {
            latest.remove(object);
        }
        head++;
        return wanted;
    }

    private int at() {
        return place(head);
    }

    private int place(long number) {
        return (int) (number & (objects.length - 1));
    }

    private void grow() {
        int length = objects.length;
        int shift = at();
        readyMs = rotated(readyMs, shift);
        sizes = rotated(sizes, shift);
        objects = rotated(objects, shift);
        toTiers = rotated(toTiers, shift);
        // Places are taken modulo the length, so the queue is copied to start at a multiple of the new length.
        long moved = Math.floorMod(-head, 2L * length);
        head += moved;
        tail += moved;
        begun += moved;
        for (int i = 0; i < length; i++) {
            if (latest.get(objects[i]) == head - moved + i) {
                latest.put(objects[i], head + i);
            }
        }
    }

    private static long[] rotated(long[] ring, int shift) {
        long[] out = Arrays.copyOf(Arrays.copyOfRange(ring, shift, ring.length), ring.length * 2);
        System.arraycopy(ring, 0, out, ring.length - shift, shift);
        return out;
    }

    private static int[] rotated(int[] ring, int shift) {
        int[] out = Arrays.copyOf(Arrays.copyOfRange(ring, shift, ring.length), ring.length * 2);
        System.arraycopy(ring, 0, out, ring.length - shift, shift);
        return out;
    }
}
