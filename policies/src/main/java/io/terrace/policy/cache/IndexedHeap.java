package io.terrace.policy.cache;

import java.util.Arrays;

/**
 * A binary heap of slots by a double key, least first, equal keys in the order in which they were put; the place of each
 * slot is known so that keys can change.
 */
final class IndexedHeap {

    private static final int ABSENT = -1;

    private int[] heap = new int[64];
    private double[] keys = new double[64];
    private long[] turns = new long[64];
    private int[] places = {};
    private long turn;
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
                turns = Arrays.copyOf(turns, count * 2);
            }
            up(count++, slot, key, turn++);
        } else if (key < keys[place]) {
            up(place, slot, key, turn++);
        } else {
            down(place, slot, key, turn++);
        }
    }

    /** Puts back a slot taken out by {@link #remove} where it was among equals. */
    void restore(int slot, double key, long formerTurn) {
        long next = turn;
        turn = formerTurn;
        put(slot, key);
        turn = next;
    }

    /** Where the slot is among equals; for {@link #restore}. */
    long turn(int slot) {
        return turns[places[slot]];
    }

    void remove(int slot) {
        int place = places[slot];
        places[slot] = ABSENT;
        int moved = heap[--count];
        double key = keys[count];
        long movedTurn = turns[count];
        if (place == count) {
            return;
        }
        if (place > 0 && before(key, movedTurn, (place - 1) >>> 1)) {
            up(place, moved, key, movedTurn);
        } else {
            down(place, moved, key, movedTurn);
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

    long memoryBytes() {
        return 20L * heap.length + 4L * places.length;
    }

    /** Whether the key and turn come before those at a place. */
    private boolean before(double key, long itsTurn, int place) {
        return key < keys[place] || (key == keys[place] && itsTurn < turns[place]);
    }

    private void up(int from, int slot, double key, long itsTurn) {
        int place = from;
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (!before(key, itsTurn, parent)) {
                break;
            }
            set(place, heap[parent], keys[parent], turns[parent]);
            place = parent;
        }
        set(place, slot, key, itsTurn);
    }

    private void down(int from, int slot, double key, long itsTurn) {
        int place = from;
        while (true) {
            int child = 2 * place + 1;
            if (child >= count) {
                break;
            }
            if (child + 1 < count && before(keys[child + 1], turns[child + 1], child)) {
                child++;
            }
            if (before(key, itsTurn, child)) {
                break;
            }
            set(place, heap[child], keys[child], turns[child]);
            place = child;
        }
        set(place, slot, key, itsTurn);
    }

    private void set(int place, int slot, double key, long itsTurn) {
        heap[place] = slot;
        keys[place] = key;
        turns[place] = itsTurn;
        places[slot] = place;
    }
}
