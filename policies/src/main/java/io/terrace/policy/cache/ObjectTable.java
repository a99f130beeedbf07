package io.terrace.policy.cache;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/**
 * Slots for objects: id and size in columns, found by id through a hash, reused when freed. Owners keep further columns
 * of their own, indexed by slot and grown with {@link #grown}. Steady state allocates nothing.
 */
final class ObjectTable {

    static final int NONE = -1;

    private static final int FIRST_SLOTS = 64;

    private final Long2IntOpenHashMap slots = new Long2IntOpenHashMap();
    private long[] ids = new long[FIRST_SLOTS];
    private long[] sizes = new long[FIRST_SLOTS];
    private int[] free = new int[FIRST_SLOTS];
    private int freeCount;
    private int high;

    ObjectTable() {
        slots.defaultReturnValue(NONE);
    }

    int find(long id) {
        return slots.get(id);
    }

    /** Adds an object that is not in the table and returns its slot. */
    int add(long id, long sizeBytes) {
        int slot = freeCount > 0 ? free[--freeCount] : high++;
        if (slot >= ids.length) {
            ids = Arrays.copyOf(ids, ids.length * 2);
            sizes = Arrays.copyOf(sizes, ids.length);
            free = Arrays.copyOf(free, ids.length);
        }
        ids[slot] = id;
        sizes[slot] = sizeBytes;
        slots.put(id, slot);
        return slot;
    }

    void remove(int slot) {
        slots.remove(ids[slot]);
        free[freeCount++] = slot;
    }

    long id(int slot) {
        return ids[slot];
    }

    long size(int slot) {
        return sizes[slot];
    }

    void resize(int slot, long sizeBytes) {
        sizes[slot] = sizeBytes;
    }

    int count() {
        return slots.size();
    }

    /** Slots there are columns for; an owner's columns must be at least this long. */
    int slotCapacity() {
        return ids.length;
    }

    long memoryBytes() {
        // fastutil keeps a power of two of (long, int) pairs, at most three quarters full.
        long hashed = Math.max(16, Long.highestOneBit(Math.max(1, slots.size() * 4L / 3)) * 2);
        return ids.length * 20L + hashed * 12;
    }

    static long[] grown(long[] column, int length) {
        return column.length >= length ? column : Arrays.copyOf(column, length);
    }

    static int[] grown(int[] column, int length) {
        return column.length >= length ? column : Arrays.copyOf(column, length);
    }

    static double[] grown(double[] column, int length) {
        return column.length >= length ? column : Arrays.copyOf(column, length);
    }

    static byte[] grown(byte[] column, int length) {
        return column.length >= length ? column : Arrays.copyOf(column, length);
    }
}
