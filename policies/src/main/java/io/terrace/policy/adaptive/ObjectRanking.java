package io.terrace.policy.adaptive;

/**
 * Worth of a tracked object under each {@link RankingRule}, as a logarithm to base 2, so that all that matters is the
 * order. Decayed counts are kept as they were at the last read. They all fade alike, so they are compared as they would
 * have been at the beginning of time: such a worth changes only when the object is read.
 */
final class ObjectRanking {

    static final long FAST_HALF_LIFE_MS = 600_000;
    static final long SLOW_HALF_LIFE_MS = 6 * 3_600_000L;

    private static final double LN2 = Math.log(2);
    private static final double PER_LN2 = 1 / LN2;

    private final ObjectRecords records;
    private final ReuseModel model;
    private final ReportIntervalEstimator[] reportIntervals = {
        new ReportIntervalEstimator(), new ReportIntervalEstimator()
    };

    ObjectRanking(ObjectRecords records, ReuseModel model) {
        this.records = records;
        this.model = model;
    }

    double worth(RankingRule rule, int slot, long nowMs) {
        long readMs = records.readMs(slot);
        double worth =
                switch (rule) {
                    case RETURN_DENSITY, RETURN -> model.worth(
                            records.returnClass(slot), silentMs(slot, Math.max(0, nowMs - readMs)));
                    case FAST_DENSITY, FAST -> records.fastHeat(slot) + (double) readMs / FAST_HALF_LIFE_MS;
                    case SLOW_DENSITY, SLOW -> records.slowHeat(slot) + (double) readMs / SLOW_HALF_LIFE_MS;
                    case RECENT -> readMs;
                };
        return rule.perByte() ? worth - Log2.of(records.sizeBytes(slot)) : worth;
    }

    /** As {@link #worth}, but decayed counts and times as they are now. */
    double worthNow(RankingRule rule, int slot, long nowMs) {
        double now =
                switch (rule) {
                    case RETURN_DENSITY, RETURN -> 0;
                    case FAST_DENSITY, FAST -> (double) nowMs / FAST_HALF_LIFE_MS;
                    case SLOW_DENSITY, SLOW -> (double) nowMs / SLOW_HALF_LIFE_MS;
                    case RECENT -> nowMs;
                };
        return worth(rule, slot, nowMs) - now;
    }

    /** Worth of an object just read that asks to be let in; what the move costs is taken off where the rule can. */
    double bid(RankingRule rule, int slot, long nowMs) {
        return switch (rule) {
            case RETURN -> model.admission(records.returnClass(slot));
            case RETURN_DENSITY -> model.admission(records.returnClass(slot)) - Log2.of(records.sizeBytes(slot));
            default -> worth(rule, slot, nowMs);
        };
    }

    /** Time without a read as far as one can know: reads may wait to be reported. */
    private long silentMs(int slot, long ageMs) {
        return Math.max(0, ageMs - (long) reportInterval(slot).periodMs());
    }

    /** How often the object's reads are reported, from the tier where it really is: tiers differ in that. */
    ReportIntervalEstimator reportInterval(int slot) {
        return reportIntervals[records.resident(slot, AdaptivePolicy.REAL) ? 1 : 0];
    }

    /** Time after which all reads made by now have surely been reported; 0 while each is reported by itself. */
    double silenceMs() {
        double longest = Math.max(reportIntervals[0].periodMs(), reportIntervals[1].periodMs());
        return longest == 0 ? 0 : 2 * Math.max(ReportIntervalEstimator.FIRST_PERIOD_MS, longest);
    }

    /** Counts reads that are not the first: the decayed counts are taken to now and grow by their number. */
    void heat(int slot, long ageMs, int reads) {
        records.heats(
                slot,
                grown(records.fastHeat(slot), (double) ageMs / FAST_HALF_LIFE_MS, reads),
                grown(records.slowHeat(slot), (double) ageMs / SLOW_HALF_LIFE_MS, reads));
    }

    /** log2(2^(heat - decay) + reads). */
    private static float grown(float heat, double decay, int reads) {
        double more = reads == 1 ? 0 : Math.log(reads) * PER_LN2;
        double log = heat - decay - more;
        return (float) (log < -30 ? more : more + Math.log1p(Math.exp(log * LN2)) * PER_LN2);
    }
}
