package io.terrace.policy.adaptive;

import java.util.Arrays;

/**
 * A binary heap of slots by a key, least on top. A slot may be in it several times; whoever takes one off the top finds
 * out whether it still counts.
 */
final class LazyHeap {

    private static final int LEAST_GROWTH = 8;

    private final int most;
    private int[] slots = new int[64];
    private double[] keys = new double[64];
    private int count;

    /** @param most slots it takes; what is added beyond is left out */
    LazyHeap(int most) {
        this.most = most;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == most;
    }

    /** Makes room for the most it takes. */
    void makeRoom() {
        grow(most);
    }

    private void grow(int length) {
        slots = Arrays.copyOf(slots, length);
        keys = Arrays.copyOf(keys, length);
    }

    void clear() {
        count = 0;
    }

    /** Adds without ordering; {@link #order} is to follow. */
    void append(int slot, double key) {
        if (count == slots.length) {
            grow(Math.min(most, count + Math.max(LEAST_GROWTH, count >> 3)));
        }
        slots[count] = slot;
        keys[count++] = key;
    }

    void order() {
        for (int place = count / 2 - 1; place >= 0; place--) {
            down(place, slots[place], keys[place]);
        }
    }

    void push(int slot, double key) {
        if (count == most) {
            return;
        }
        append(slot, key);
        int place = count - 1;
        while (place > 0 && key < keys[(place - 1) >>> 1]) {
            int parent = (place - 1) >>> 1;
            slots[place] = slots[parent];
            keys[place] = keys[parent];
            place = parent;
        }
        slots[place] = slot;
        keys[place] = key;
    }

    /** Slot on top; there is one. */
    int least() {
        return slots[0];
    }

    void dropLeast() {
        count--;
        if (count > 0) {
            down(0, slots[count], keys[count]);
        }
    }

    /** Gives the slot on top another key. */
    void rekeyLeast(double key) {
        down(0, slots[0], key);
    }

    private void down(int from, int slot, double key) {
        int place = from;
        for (int child = 2 * place + 1; child < count; child = 2 * place + 1) {
            if (child + 1 < count && keys[child + 1] < keys[child]) {
                child++;
            }
            if (key <= keys[child]) {
                break;
            }
            slots[place] = slots[child];
            keys[place] = keys[child];
            place = child;
        }
        slots[place] = slot;
        keys[place] = key;
    }

    long memoryBytes() {
        return 12L * slots.length;
    }
}
