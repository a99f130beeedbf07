package io.terrace.policy.shelf;

import java.util.Arrays;

/** A binary heap of slots by a double key, least first, with the place of each slot known so that keys can change. */
final class SlotHeap {

    private static final int ABSENT = -1;

    private int[] heap = new int[64];
    private double[] keys = new double[64];
    private int[] places = {};
    private int count;

    boolean contains(int slot) {
        return slot < places.length && places[slot] != ABSENT;
    }

    double key(int slot) {
        return keys[places[slot]];
    }

    /** Adds the slot, or gives it another key. */
    void put(int slot, double key) {
        if (slot >= places.length) {
            int from = places.length;
            places = Arrays.copyOf(places, Math.max(64, Math.max(slot + 1, from * 2)));
            Arrays.fill(places, from, places.length, ABSENT);
        }
        int place = places[slot];
        if (place == ABSENT) {
            if (count == heap.length) {
                heap = Arrays.copyOf(heap, count * 2);
                keys = Arrays.copyOf(keys, count * 2);
            }
            up(count++, slot, key);
        } else if (key < keys[place]) {
            up(place, slot, key);
        } else {
            down(place, slot, key);
        }
    }

    void remove(int slot) {
        int place = places[slot];
        places[slot] = ABSENT;
        int moved = heap[--count];
        double key = keys[count];
        if (place == count) {
            return;
        }
        if (place > 0 && key < keys[(place - 1) >>> 1]) {
            up(place, moved, key);
        } else {
            down(place, moved, key);
        }
    }

    /** Slot with the least key, {@link ObjectTable#NONE} when empty. */
    int least() {
        return count == 0 ? ObjectTable.NONE : heap[0];
    }

    double leastKey() {
        return keys[0];
    }

    int count() {
        return count;
    }

    /** The slot at a place of the heap array, 0 being the least; for walking over all of them. */
    int at(int place) {
        return heap[place];
    }

    /** Multiplies every key by a factor above 0, which keeps the order. */
    void scale(double factor) {
        for (int i = 0; i < count; i++) {
            keys[i] *= factor;
        }
    }

    long memoryBytes() {
        return 12L * heap.length + 4L * places.length;
    }

    private void up(int from, int slot, double key) {
        int place = from;
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (keys[parent] <= key) {
                break;
            }
            set(place, heap[parent], keys[parent]);
            place = parent;
        }
        set(place, slot, key);
    }

    private void down(int from, int slot, double key) {
        int place = from;
        while (true) {
            int child = 2 * place + 1;
            if (child >= count) {
                break;
            }
            if (child + 1 < count && keys[child + 1] < keys[child]) {
                child++;
            }
            if (key <= keys[child]) {
                break;
            }
            set(place, heap[child], keys[child]);
            place = child;
        }
        set(place, slot, key);
    }

    private void set(int place, int slot, double key) {
        heap[place] = slot;
        keys[place] = key;
        places[slot] = place;
    }
}
