package io.terrace.policy;

import io.terrace.policy.api.MoveRequests;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/** Requests for moves that are not passed on yet, in the order in which they were made. */
final class HeldRequests {

    /** Object, size, tier it leaves, tier it goes to. */
    private static final int LONGS = 4;

    /** In place of the tier that it leaves: the request was passed on. */
    private static final int PASSED_ON = -1;

    private static final int[] NONE_EARLIER = {};

    private long[] requests = new long[64];
    private int end;

    /** For each request the one before it of the same object, or -1; empty unless an object may have two. */
    private int[] earlier = NONE_EARLIER;

    void add(long object, long sizeBytes, int fromTier, int toTier) {
        if (end + LONGS > requests.length) {
            requests = Arrays.copyOf(requests, requests.length * 2);
        }
        requests[end++] = object;
        requests[end++] = sizeBytes;
        requests[end++] = fromTier;
        requests[end++] = toTier;
    }

    /** Those since the last {@link #clear}, passed on or not. */
    int count() {
        return end / LONGS;
    }

    /** Those that are here and of the same object are passed on in their order, whatever part is passed on first. */
    void keepOrderOfEachObject() {
        earlier = new int[count()];
        Long2IntOpenHashMap last = new Long2IntOpenHashMap(earlier.length);
        last.defaultReturnValue(-1);
        for (int i = 0; i < earlier.length; i++) {
            earlier[i] = last.put(requests[i * LONGS], i);
        }
    }

    /** Passes on those of a part that were not yet. */
    void passOn(int from, int to, MoveRequests out) {
        for (int i = from; i < to; i++) {
            passOn(i, out);
        }
    }

    private void passOn(int i, MoveRequests out) {
        int before = earlier.length == 0 ? -1 : earlier[i];
        if (before >= 0) {
            passOn(before, out);
        }
        int at = i * LONGS;
        int from = (int) requests[at + 2];
        if (from != PASSED_ON) {
            requests[at + 2] = PASSED_ON;
            out.place(requests[at], requests[at + 1], from, (int) requests[at + 3]);
        }
    }

    void clear() {
        end = 0;
        earlier = NONE_EARLIER;
    }
}
