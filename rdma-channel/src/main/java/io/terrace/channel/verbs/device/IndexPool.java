package io.terrace.channel.verbs.device;

/** Numbers from 0 that are free or taken. Not thread-safe. */
public final class IndexPool {
    private final int[] free;
    private final boolean[] taken;
    private int count;

    public IndexPool(int size) {
        free = new int[size];
        taken = new boolean[size];
        for (int i = 0; i < size; i++) {
            free[i] = size - 1 - i;
        }
        count = size;
    }

    /** A number, or -1 when all are taken. */
    public int take() {
        if (count == 0) {
            return -1;
        }
        int index = free[--count];
        taken[index] = true;
        return index;
    }

    /** @throws IllegalStateException when it was free already */
    public void give(int index) {
        if (!taken[index]) {
            throw new IllegalStateException(index + " is given back twice");
        }
        taken[index] = false;
        free[count++] = index;
    }

    public int free() {
        return count;
    }
}
