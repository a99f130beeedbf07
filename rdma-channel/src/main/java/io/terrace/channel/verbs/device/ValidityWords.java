package io.terrace.channel.verbs.device;

import io.terrace.channel.verbs.rdmacore.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One 64-bit word for each registered range, which a reader reads behind the bytes: {sequence, state}. The sequence changes
 * with each use of a word, and the word that has been free the longest is used next, so that an old attachment never takes
 * a new range for its own.
 *
 * <p>Registered for remote reads as a whole. Thread-safe.
 */
public final class ValidityWords {
    static final int STATE_BITS = 2;
    public static final long VOID = 0;
    static final long LIVE = 1;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final NativeMemory memory;
    private final Deque<Integer> free = new ArrayDeque<>();

    public ValidityWords(int words) {
        this.memory = NativeMemory.allocate(words * Long.BYTES);
        for (int i = 0; i < words; i++) {
            free.add(i);
        }
    }

    public NativeMemory memory() {
        return memory;
    }

    /** A word that is void still, or -1 when all are in use. */
    public synchronized int take() {
        Integer index = free.poll();
        if (index == null) {
            return -1;
        }
        long sequence = (get(index) >>> STATE_BITS) + 1;
        set(index, sequence << STATE_BITS | VOID);
        return index;
    }

    /** Says that the range is valid; returns the word that says so. */
    public synchronized long live(int index) {
        return state(index, LIVE);
    }

    /** Says that a range is not valid any more, unless its word speaks for another by now. */
    public synchronized void invalidate(int index, long live) {
        if (get(index) == live) {
            state(index, VOID);
        }
    }

    /** Says that the range is not valid any more, and lets the word be used again. */
    public synchronized void give(int index) {
        state(index, VOID);
        free.add(index);
    }

    public long address(int index) {
        return memory.address() + (long) index * Long.BYTES;
    }

    public long get(int index) {
        return (long) WORD.getVolatile(memory.bytes(), index * Long.BYTES);
    }

    private long state(int index, long state) {
        long word = get(index) >>> STATE_BITS << STATE_BITS | state;
        set(index, word);
        return word;
    }

    private void set(int index, long word) {
        ByteBuffer bytes = memory.bytes();
        WORD.setVolatile(bytes, index * Long.BYTES, word);
    }
}
