package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import java.util.Locale;

/**
 * Decayed access counts with admission. Every access adds its weight to the object's count, which halves every {@code
 * halfLifeMs}; the object of least worth leaves, and one outside is admitted only if it is worth more than each of those
 * that would have to leave for it. Worth is the decayed count, or, by density, the decayed count per byte.
 *
 * <p>Since all counts decay alike, their order never changes between accesses. The rank is the logarithm of the count at
 * the last access plus the half-lives passed since the beginning of time, so nothing has to be touched as time goes by.
 */
public final class DecayPolicy extends RankedCachePolicy {

    private static final double LN2 = Math.log(2);

    private final double halfLivesPerMs;
    private final boolean byDensity;
    /** log2 of the decayed count, as if it were taken to time 0. */
    private double[] heats = {};

    /**
     * @param halfLifeMs time in which a count halves, above 0; {@link Long#MAX_VALUE} for never
     * @param byDensity whether worth is the count per byte
     * @param remembered objects outside whose counts are kept, at least 1
     */
    public DecayPolicy(String name, long capacityBytes, long halfLifeMs, boolean byDensity, int remembered) {
        super(name, capacityBytes, remembered);
        this.halfLivesPerMs = halfLifeMs == Long.MAX_VALUE ? 0 : 1.0 / halfLifeMs;
        this.byDensity = byDensity;
    }

    @Override
    void begin(int slot) {
        heats = ObjectTable.grown(heats, table.slotCapacity());
        heats[slot] = latestMs * halfLivesPerMs;
    }

    @Override
    void count(int slot, Access access, boolean known) {
        double heat = latestMs * halfLivesPerMs + log2(access.burst());
        heats[slot] = known ? sum(heats[slot], heat) : heat;
    }

    @Override
    double rank(int slot) {
        return byDensity ? heats[slot] - log2(Math.max(1, table.size(slot))) : heats[slot];
    }

    @Override
    boolean admits(int slot) {
        return beatsVictims(slot);
    }

    @Override
    long figureBytes() {
        return 8L * heats.length;
    }

    /** log2(2^a + 2^b). */
    private static double sum(double a, double b) {
        double more = Math.max(a, b);
        double gap = Math.min(a, b) - more;
        return gap < -40 ? more : more + Math.log1p(Math.exp(gap * LN2)) / LN2;
    }

    private static double log2(double x) {
        return Math.log(x) / LN2;
    }

    @Override
    Explanation explainSlot(long nowMs, int slot, int tier) {
        double now = Math.max(latestMs, nowMs) * halfLivesPerMs;
        double count = Math.pow(2, heats[slot] - now);
        int least = residents.least();
        double bar = least == NONE ? 0 : Math.pow(2, residents.leastKey() - now);
        boolean here = residents.contains(slot);
        double worth = Math.pow(2, rank(slot) - now);
        String unit = byDensity ? "decayed reads per byte" : "decayed reads";
        return new Explanation(
                name,
                here ? "worth its space" : "worth less than what would leave",
                table.id(slot),
                tier,
                worth,
                bar,
                -1,
                least == NONE || least == slot ? Explanation.NO_COMPETITOR : table.id(least),
                least == NONE || least == slot
                        ? null
                        : new Explanation.Worth(Math.pow(2, rank(slot) - residents.leastKey()), byDensity),
                String.format(
                        Locale.ROOT,
                        "%.3g decayed reads, worth %.3g %s; the least of those here is worth %.3g",
                        count,
                        worth,
                        unit,
                        bar));
    }
}
