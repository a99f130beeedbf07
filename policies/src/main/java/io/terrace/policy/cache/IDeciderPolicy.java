package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;

/**
 * IDecider after Rudani and Campbell: an object read more often than a threshold is admitted; the resident of the
 * greatest age leaves for it; an object that beats no victim stays where it is. Age is the time since an object was
 * first seen, so a candidate beats a resident that is older than itself.
 */
public final class IDeciderPolicy extends RankedCachePolicy {

    private final int threshold;
    private long[] firstSeenMs = {};
    private int[] counts = {};

    /**
     * @param threshold reads an object must exceed, at least 0
     * @param remembered objects outside that are counted, at least 1
     */
    public IDeciderPolicy(long capacityBytes, int threshold, int remembered) {
        super("idecider", capacityBytes, remembered);
        this.threshold = threshold;
    }

    @Override
    void begin(int slot) {
        firstSeenMs = ObjectTable.grown(firstSeenMs, table.slotCapacity());
        counts = ObjectTable.grown(counts, table.slotCapacity());
        firstSeenMs[slot] = latestMs;
        counts[slot] = 0;
    }

    @Override
    void count(int slot, Access access, boolean known) {
        counts[slot] = (int) Math.min(Integer.MAX_VALUE, (long) counts[slot] + access.burst());
    }

    /** The one seen first ranks lowest. */
    @Override
    double rank(int slot) {
        return firstSeenMs[slot];
    }

    @Override
    boolean admits(int slot) {
        return counts[slot] > threshold && beatsVictims(slot);
    }

    @Override
    long figureBytes() {
        return 8L * firstSeenMs.length + 4L * counts.length;
    }

    @Override
    Explanation explainSlot(long nowMs, int slot, int tier) {
        long ageMs = Math.max(0, Math.max(latestMs, nowMs) - firstSeenMs[slot]);
        boolean here = residents.contains(slot);
        boolean counted = counts[slot] > threshold;
        int oldest = residents.least();
        long competitor = oldest == NONE || oldest == slot ? Explanation.NO_COMPETITOR : table.id(oldest);
        String rule;
        String verdict;
        if (here) {
            rule = "admitted";
            verdict = "stays until it is the oldest here and room is needed";
        } else if (!counted) {
            rule = "count not over threshold";
            verdict = "is not admitted";
        } else if (table.size(slot) > capacityBytes) {
            rule = "larger than the tier";
            verdict = "has " + table.size(slot) + " bytes where " + capacityBytes + " fit";
        } else {
            rule = "beats no victim";
            verdict = "is older than what would have to leave for it, or left as the oldest";
        }
        String sentence = "read " + Explanation.times(counts[slot]) + " (threshold: more than " + threshold
                + "), first seen " + ageMs / 1000 + " s ago: " + verdict;
        return new Explanation(name, rule, table.id(slot), tier, counts[slot], threshold, ageMs, competitor, sentence);
    }
}
