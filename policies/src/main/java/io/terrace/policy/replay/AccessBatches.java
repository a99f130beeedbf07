package io.terrace.policy.replay;

import java.util.Arrays;

/**
 * Reads of one kind that were not reported to the policy yet, summed up per object; all are reported when the period in
 * which the first of them fell is over.
 */
final class AccessBatches {

    private final long periodMs;
    private final int[] reads;
    private final long[] bytes;
    private int[] objects = new int[64];
    private int waiting;
    private long dueMs = Long.MAX_VALUE;

    /** @param periodMs time between two reports; 0 when nothing is ever gathered */
    AccessBatches(long periodMs, int objectCount) {
        this.periodMs = periodMs;
        reads = new int[periodMs == 0 ? 0 : objectCount];
        bytes = new long[reads.length];
    }

    /** Whether reads are gathered at all. */
    boolean gathers() {
        return periodMs > 0;
    }

    void add(long nowMs, int object, long readBytes) {
        if (waiting == 0) {
            dueMs = (Math.floorDiv(nowMs, periodMs) + 1) * periodMs;
        }
        if (reads[object]++ == 0) {
            if (waiting == objects.length) {
                objects = Arrays.copyOf(objects, waiting * 2);
            }
            objects[waiting++] = object;
        }
        bytes[object] += readBytes;
    }

    /** When the next report is due, {@link Long#MAX_VALUE} when there is nothing to report. */
    long dueMs() {
        return dueMs;
    }

    /** Reports all that was gathered and starts over. */
    void tell(Listener listener) {
        dueMs = Long.MAX_VALUE;
        int told = waiting;
        waiting = 0;
        for (int i = 0; i < told; i++) {
            int object = objects[i];
            int burst = reads[object];
            long sum = bytes[object];
            reads[object] = 0;
            bytes[object] = 0;
            listener.read(object, burst, sum);
        }
    }

    /** Takes the sums. */
    @FunctionalInterface
    interface Listener {
        void read(int object, int reads, long bytes);
    }
}
