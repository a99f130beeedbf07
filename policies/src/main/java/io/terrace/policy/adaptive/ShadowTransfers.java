package io.terrace.policy.adaptive;

/**
 * Imagined moves under way, in the order in which they end: until then a read of the object is none that the rule would
 * have served. A bit in the object's record says that it is on its way for a rule. At most {@value #MOST} at a time; one
 * more lets the first arrive early.
 */
final class ShadowTransfers {

    private static final int MOST = 4096;
    private static final int RULE_BITS = 4;
    private static final int VOID = -1;

    private final ObjectRecords records;
    /** A power of two of places, as many as were needed at once. */
    private int[] moves = new int[16];

    private long[] dueMs = new long[16];
    private int head;
    private int count;

    ShadowTransfers(ObjectRecords records) {
        this.records = records;
    }

    /** An object sets out. */
    void add(int slot, int rule, long arrivesMs) {
        if (records.travels(slot, rule)) {
            // An earlier transfer of the object was still under way when it left.
            cancel(slot, rule);
        }
        if (count == MOST) {
            arriveFirst();
        } else if (count == moves.length) {
            grow();
        }
        int at = (head + count++) & (moves.length - 1);
        moves[at] = slot << RULE_BITS | rule;
        dueMs[at] = arrivesMs;
        records.setOut(slot, rule);
    }

    private void grow() {
        int[] more = new int[2 * count];
        long[] moreMs = new long[2 * count];
        for (int i = 0; i < count; i++) {
            int at = (head + i) & (count - 1);
            more[i] = moves[at];
            moreMs[i] = dueMs[at];
        }
        moves = more;
        dueMs = moreMs;
        head = 0;
    }

    /** Whoever is due by now has arrived. */
    void arrive(long nowMs) {
        while (count > 0 && dueMs[head] <= nowMs) {
            arriveFirst();
        }
    }

    private void arriveFirst() {
        int move = moves[head];
        head = (head + 1) & (moves.length - 1);
        count--;
        if (move != VOID) {
            records.arrive(move >>> RULE_BITS, move & ((1 << RULE_BITS) - 1));
        }
    }

    /** The object's record is about to be given up. */
    void cancelAll(int slot) {
        for (int rule = 0; records.travelsAtAll(slot); rule++) {
            if (records.travels(slot, rule)) {
                cancel(slot, rule);
                records.arrive(slot, rule);
            }
        }
    }

    private void cancel(int slot, int rule) {
        int move = slot << RULE_BITS | rule;
        for (int i = 0; i < count; i++) {
            int at = (head + i) & (moves.length - 1);
            if (moves[at] == move) {
                moves[at] = VOID;
                return;
            }
        }
    }

    long memoryBytes() {
        return 12L * moves.length;
    }
}
