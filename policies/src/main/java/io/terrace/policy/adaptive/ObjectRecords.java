package io.terrace.policy.adaptive;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;

/**
 * What is known of each tracked object, {@value #WORDS} words of 8 bytes in one array, and the hash that finds them: an
 * open table of ints, each a slot and 8 bits of the id's hash. At most {@value #MOST_OBJECTS} objects. With the table at
 * most 5/8 full an object takes {@value #WORDS}·8 + 6.4 to 12.8 bytes.
 *
 * <p>The words: id; size and number of reads; time of the last read; residency bits, class in the return model, job
 * of the last read, travel bits, list bits and size of the input or time that a read saves, whichever the objective asks for; log2 of the typical gap and evidence weight; the two decayed counts as log2 at the last read.
 */
final class ObjectRecords {

    static final int NONE = -1;
    static final int MOST_OBJECTS = 1 << 24;
    static final int MOST_READS = (1 << 16) - 1;

    private static final int WORDS = 6;
    private static final int SLOT_BITS = 24;
    private static final int SLOT_MASK = MOST_OBJECTS - 1;
    private static final int EMPTY = -1;
    private static final long USED = 1L << 40;
    /** From here a bit for each rule under which the object is on its way. */
    private static final int TRAVELS_SHIFT = 41;

    private static final long TRAVELS = 0x7FL << TRAVELS_SHIFT;
    private static final int LISTED_SHIFT = 48;
    /** Outlives the object, since list entries do. */
    private static final long LISTED = 0xFFL << LISTED_SHIFT;

    /** Of the size of the input, or of the time that a read saves, in steps of their log2. 0 where it is not known. */
    private static final int STEPS_SHIFT = 56;

    private static final int MOST_STEPS = 255;
    /** Eighths of the log2 of a size would not fit, fifths do. */
    private static final double INPUT_STEPS = 5;
    /** From 1 ns to an hour and a half. */
    private static final double SAVED_STEPS = 6;

    private static final double SAVED_MEMORY = 0.25;

    private static final double FULLEST = 0.625;

    private long[] words = new long[WORDS * 64];
    private int[] index = new int[128];
    private final int most;
    private int count;
    private int high;
    /** First of the free slots, chained through their first word. */
    private int free = NONE;

    /** @param most objects the owner will keep at a time; room beyond it is not made in advance */
    ObjectRecords(int most) {
        this.most = most;
        Arrays.fill(index, EMPTY);
    }

    int count() {
        return count;
    }

    /** One more than the highest slot that was ever in use. */
    int high() {
        return high;
    }

    int find(long id, long hash) {
        int mask = index.length - 1;
        int tag = tag(hash);
        for (int at = (int) hash & mask; ; at = (at + 1) & mask) {
            int entry = index[at];
            if (entry == EMPTY) {
                return NONE;
            }
            if ((entry & ~SLOT_MASK) == tag && words[(entry & SLOT_MASK) * WORDS] == id) {
                return entry & SLOT_MASK;
            }
        }
    }

    /** Adds an object that is not there, with all else zero, and returns its slot. */
    int add(long id, long hash) {
        if (count + 1 > index.length * FULLEST) {
            rehash();
        }
        int slot = free;
        if (slot == NONE) {
            slot = high++;
            if (high * WORDS > words.length) {
                words = Arrays.copyOf(words, WORDS * Math.min(Math.max(high, most), high + (high >> 2)));
            }
        } else {
            free = (int) words[slot * WORDS];
        }
        int from = slot * WORDS;
        long stillListed = words[from + 3] & LISTED;
        Arrays.fill(words, from, from + WORDS, 0);
        words[from] = id;
        words[from + 3] = USED | stillListed;
        enter(slot, hash);
        count++;
        return slot;
    }

    private void enter(int slot, long hash) {
        int mask = index.length - 1;
        int at = (int) hash & mask;
        while (index[at] != EMPTY) {
            at = (at + 1) & mask;
        }
        index[at] = tag(hash) | slot;
    }

    private static int tag(long hash) {
        // A tag of all ones is never used, so no entry looks empty.
        int tag = (int) (hash >>> 56);
        return Math.min(tag, 0xFE) << SLOT_BITS;
    }

    private void rehash() {
        int[] old = index;
        index = new int[old.length * 2];
        Arrays.fill(index, EMPTY);
        for (int entry : old) {
            if (entry != EMPTY) {
                enter(entry & SLOT_MASK, HashCommon.murmurHash3(id(entry & SLOT_MASK)));
            }
        }
    }

    void remove(int slot) {
        int mask = index.length - 1;
        int at = (int) HashCommon.murmurHash3(id(slot)) & mask;
        while ((index[at] & SLOT_MASK) != slot || index[at] == EMPTY) {
            at = (at + 1) & mask;
        }
        // An entry after the gap moves into it unless its first slot lies between the gap and its place.
        int gap = at;
        for (int next = (gap + 1) & mask; index[next] != EMPTY; next = (next + 1) & mask) {
            int home = (int) HashCommon.murmurHash3(id(index[next] & SLOT_MASK)) & mask;
            if (((next - home) & mask) >= ((next - gap) & mask)) {
                index[gap] = index[next];
                gap = next;
            }
        }
        index[gap] = EMPTY;
        words[slot * WORDS] = free;
        words[slot * WORDS + 3] &= LISTED;
        free = slot;
        count--;
    }

    boolean used(int slot) {
        return (words[slot * WORDS + 3] & USED) != 0;
    }

    long id(int slot) {
        return words[slot * WORDS];
    }

    long sizeBytes(int slot) {
        return words[slot * WORDS + 1] >>> 16;
    }

    int reads(int slot) {
        return (int) words[slot * WORDS + 1] & MOST_READS;
    }

    void size(int slot, long sizeBytes) {
        words[slot * WORDS + 1] = (sizeBytes << 16) | reads(slot);
    }

    void reads(int slot, int reads) {
        words[slot * WORDS + 1] = (sizeBytes(slot) << 16) | Math.min(MOST_READS, reads);
    }

    long readMs(int slot) {
        return words[slot * WORDS + 2];
    }

    void readMs(int slot, long ms) {
        words[slot * WORDS + 2] = ms;
    }

    boolean resident(int slot, int bit) {
        return (words[slot * WORDS + 3] & bit) != 0;
    }

    void enter(int slot, int bit) {
        words[slot * WORDS + 3] |= bit;
    }

    void leave(int slot, int bit) {
        words[slot * WORDS + 3] &= ~(long) bit;
    }

    /** Whether the slot has an entry in the list of a residency. */
    boolean listed(int slot, int bit) {
        return (words[slot * WORDS + 3] & ((long) bit << LISTED_SHIFT)) != 0;
    }

    void list(int slot, int bit) {
        words[slot * WORDS + 3] |= (long) bit << LISTED_SHIFT;
    }

    void unlist(int slot, int bit) {
        words[slot * WORDS + 3] &= ~((long) bit << LISTED_SHIFT);
    }

    /** Whether the object is on its way into an imagined residency. */
    boolean travels(int slot, int rule) {
        return (words[slot * WORDS + 3] & (1L << (TRAVELS_SHIFT + rule))) != 0;
    }

    boolean travelsAtAll(int slot) {
        return (words[slot * WORDS + 3] & TRAVELS) != 0;
    }

    void setOut(int slot, int rule) {
        words[slot * WORDS + 3] |= 1L << (TRAVELS_SHIFT + rule);
    }

    void arrive(int slot, int rule) {
        words[slot * WORDS + 3] &= ~(1L << (TRAVELS_SHIFT + rule));
    }

    /** The object is part of an input of this size, which is kept to 7 %. */
    void input(int slot, long bytes) {
        steps(slot, Math.round(Log2.of(bytes) * INPUT_STEPS));
    }

    /**
     * A read of the object saves so much time; the typical time follows, by whole steps of 12 %. It stays where reads differ from it
     * by less than two steps, so that objects that are read alike stay alike.
     */
    void saved(int slot, long ns) {
        double told = Log2.of(ns) * SAVED_STEPS;
        long known = words[slot * WORDS + 3] >>> STEPS_SHIFT;
        steps(slot, Math.round(known == 0 ? told : known + SAVED_MEMORY * (told - known)));
    }

    private void steps(int slot, long steps) {
        int at = slot * WORDS + 3;
        words[at] = (words[at] & (1L << STEPS_SHIFT) - 1) | Math.min(MOST_STEPS, steps) << STEPS_SHIFT;
    }

    /** Log2 of the nanoseconds that a read of the object saves; 0 where that is not known. */
    double savedLog(int slot) {
        return (words[slot * WORDS + 3] >>> STEPS_SHIFT) / SAVED_STEPS;
    }

    /** Log2 of the size of the input that the object is part of; of its own size where that is not known, or more. */
    double inputLog(int slot) {
        long steps = words[slot * WORDS + 3] >>> STEPS_SHIFT;
        double own = Log2.of(sizeBytes(slot));
        return steps == 0 ? own : Math.max(own, steps / INPUT_STEPS);
    }

    int returnClass(int slot) {
        return (int) (words[slot * WORDS + 3] >>> 8) & 0xFFFF;
    }

    int job(int slot) {
        return (int) (words[slot * WORDS + 3] >>> 24) & 0xFFFF;
    }

    void classAndJob(int slot, int returnClass, int job) {
        int at = slot * WORDS + 3;
        words[at] = (words[at] & ~0xFF_FFFF_FF00L) | USED | ((long) returnClass << 8) | ((long) job << 24);
    }

    float gapLog(int slot) {
        return Float.intBitsToFloat((int) (words[slot * WORDS + 4] >>> 32));
    }

    float weight(int slot) {
        return Float.intBitsToFloat((int) words[slot * WORDS + 4]);
    }

    void gapAndWeight(int slot, float gapLog, float weight) {
        words[slot * WORDS + 4] = pack(gapLog, weight);
    }

    float fastHeat(int slot) {
        return Float.intBitsToFloat((int) (words[slot * WORDS + 5] >>> 32));
    }

    float slowHeat(int slot) {
        return Float.intBitsToFloat((int) words[slot * WORDS + 5]);
    }

    void heats(int slot, float fast, float slow) {
        words[slot * WORDS + 5] = pack(fast, slow);
    }

    private static long pack(float high, float low) {
        return ((long) Float.floatToRawIntBits(high) << 32) | (Float.floatToRawIntBits(low) & 0xFFFF_FFFFL);
    }

    long memoryBytes() {
        return 8L * words.length + 4L * index.length;
    }
}
