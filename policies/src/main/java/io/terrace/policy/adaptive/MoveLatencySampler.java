package io.terrace.policy.adaptive;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;

/**
 * When moves into the tier began, to learn how long they take: for a sample of at most {@value #PLACES} at a time, by
 * hash of the slot. A place is given to another move once its own has ended or its object was let go.
 */
final class MoveLatencySampler {

    private static final int PLACES = 256;

    private final int[] slots = new int[PLACES];
    private final long[] begunMs = new long[PLACES];

    MoveLatencySampler() {
        Arrays.fill(slots, ObjectRecords.NONE);
    }

    void begin(int slot, long nowMs, CacheContents real) {
        int place = place(slot);
        if (slots[place] == ObjectRecords.NONE || slots[place] == slot || !real.has(slots[place])) {
            slots[place] = slot;
            begunMs[place] = nowMs;
        }
    }

    /** The move has ended well; how long it took, -1 when that was not kept. */
    long end(int slot, long nowMs) {
        int place = place(slot);
        if (slots[place] != slot) {
            return -1;
        }
        slots[place] = ObjectRecords.NONE;
        return Math.max(0, nowMs - begunMs[place]);
    }

    /** The move was given up. */
    void giveUp(int slot) {
        int place = place(slot);
        if (slots[place] == slot) {
            slots[place] = ObjectRecords.NONE;
        }
    }

    private static int place(int slot) {
        return (int) HashCommon.murmurHash3((long) slot) & (PLACES - 1);
    }
}
