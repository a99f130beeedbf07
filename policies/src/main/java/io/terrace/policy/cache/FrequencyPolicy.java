package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import java.util.Locale;

/**
 * Admits everything that fits and evicts the object of least worth, worth being worked out from the count of accesses
 * when the object is used: plain (LFU), per byte and ageing with what was evicted (GDSF), or fading with each access to
 * anything (LRFU).
 *
 * <p>Sources: Cherkasova, HPL-98-69R1 (GDSF); Lee et al., IEEE Trans. Computers 50/12, 2001 (LRFU).
 */
public final class FrequencyPolicy extends RankedCachePolicy {

    /** How worth is worked out. */
    public enum Rule {
        LFU,
        GDSF,
        LRFU
    }

    private final Rule rule;
    private final double fadePerAccess;
    /** LFU, GDSF: accesses. LRFU: log2 of the fading count taken back to the first access of all. */
    private double[] counts = {};

    private double inflation;
    private long accesses;

    /**
     * @param remembered objects outside whose counts are kept; GDSF keeps none
     * @param fadePerAccess LRFU: half-lives that pass with each access to anything
     */
    public FrequencyPolicy(String name, Rule rule, long capacityBytes, int remembered, double fadePerAccess) {
        super(name, capacityBytes, rule == Rule.GDSF ? 0 : remembered);
        this.rule = rule;
        this.fadePerAccess = fadePerAccess;
    }

    /** What is here already counts as used once. */
    @Override
    void begin(int slot) {
        counts = ObjectTable.grown(counts, table.slotCapacity());
        counts[slot] = rule == Rule.LRFU ? accesses * fadePerAccess : 1;
    }

    @Override
    void count(int slot, Access access, boolean known) {
        accesses++;
        if (rule != Rule.LRFU) {
            counts[slot] = access.burst() + (known ? counts[slot] : 0);
            return;
        }
        double birth = accesses * fadePerAccess + Math.log(access.burst()) / Math.log(2);
        if (known) {
            double more = Math.max(counts[slot], birth);
            double less = Math.min(counts[slot], birth);
            counts[slot] = more + Math.log1p(Math.pow(2, less - more)) / Math.log(2);
        } else {
            counts[slot] = birth;
        }
    }

    @Override
    double rank(int slot) {
        return rule == Rule.GDSF ? inflation + counts[slot] / Math.max(1, table.size(slot)) : counts[slot];
    }

    @Override
    boolean admits(int slot) {
        return table.size(slot) <= capacityBytes;
    }

    @Override
    void leaves(double rank) {
        inflation = rank;
    }

    @Override
    long figureBytes() {
        return 8L * counts.length;
    }

    private double worth(int slot) {
        return rule == Rule.LRFU ? Math.pow(2, counts[slot] - accesses * fadePerAccess) : rank(slot);
    }

    private static String position(double worth) {
        return String.format(Locale.ROOT, "worth %.3g by its accesses", worth);
    }

    @Override
    Explanation explainSlot(long nowMs, int slot, int tier) {
        boolean here = residents.contains(slot);
        int victim = residents.least();
        boolean competitor = victim != NONE && victim != slot;
        double worth = worth(slot);
        double bar = competitor ? worth(victim) : Double.NaN;
        String sentence = (here ? "stays: " : "left or was not let in: ")
                + position(worth)
                + (competitor ? "; next to leave is object " + table.id(victim) + ", " + position(bar) : "");
        return new Explanation(
                name,
                here ? "kept" : "remembered",
                table.id(slot),
                tier,
                worth,
                bar,
                -1,
                competitor ? table.id(victim) : Explanation.NO_COMPETITOR,
                sentence);
    }
}
