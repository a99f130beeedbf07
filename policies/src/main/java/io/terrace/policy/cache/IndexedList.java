package io.terrace.policy.cache;

import java.util.Arrays;

/** A doubly linked list of slots, head newest, links in columns. A slot is in the chain at most once. */
final class IndexedList {

    private static final int NONE = ObjectTable.NONE;

    private int[] next = {};
    private int[] previous = {};
    private int head = NONE;
    private int tail = NONE;
    private int count;
    private long bytes;

    void pushHead(int slot, long sizeBytes) {
        room(slot);
        next[slot] = head;
        previous[slot] = NONE;
        if (head == NONE) {
            tail = slot;
        } else {
            previous[head] = slot;
        }
        head = slot;
        count++;
        bytes += sizeBytes;
    }

    void remove(int slot, long sizeBytes) {
        int after = next[slot];
        int before = previous[slot];
        if (before == NONE) {
            head = after;
        } else {
            next[before] = after;
        }
        if (after == NONE) {
            tail = before;
        } else {
            previous[after] = before;
        }
        count--;
        bytes -= sizeBytes;
    }

    /** A slot in the chain has so many bytes more. */
    void grow(long moreBytes) {
        bytes += moreBytes;
    }

    void moveToHead(int slot) {
        if (slot != head) {
            remove(slot, 0);
            pushHead(slot, 0);
        }
    }

    /** Oldest slot, {@link ObjectTable#NONE} when empty. */
    int tail() {
        return tail;
    }

    /** The neighbour towards the head. */
    int newer(int slot) {
        return previous[slot];
    }

    int count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    long memoryBytes() {
        return 8L * next.length;
    }

    private void room(int slot) {
        if (slot >= next.length) {
            int length = Math.max(64, Math.max(slot + 1, next.length * 2));
            next = Arrays.copyOf(next, length);
            previous = Arrays.copyOf(previous, length);
        }
    }
}
