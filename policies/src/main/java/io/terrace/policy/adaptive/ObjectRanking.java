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

    /** Log2 of how many first reads count as one. */
    private static final double FIRST_READ = 2;
    /** What the cautious rules ask for, as log2: more than the few minutes that objects in a loop are read apart. */
    private static final double CAUTIOUS_LEAD = 0.03;
    /** As log2, where the gaps of a member are not well known, since its reads are reported as sums. */
    private static final double UNKNOWN_LEAD = 1;

    private static final double GAPS_PER_PERIOD = 4;

    private final ObjectRecords records;
    private final ReuseModel model;
    private final Objective objective;
    /** What the object read last was worth by its reads before. */
    private double earlier;

    private final ReportIntervalEstimator[] reportIntervals = {
        new ReportIntervalEstimator(), new ReportIntervalEstimator()
    };

    ObjectRanking(ObjectRecords records, ReuseModel model, Objective objective) {
        this.records = records;
        this.model = model;
        this.objective = objective;
    }

    double worth(RankingRule rule, int slot, long nowMs) {
        long readMs = records.readMs(slot);
        double worth =
                switch (rule) {
                    case RETURN_DENSITY, RETURN -> model.worth(
                            records.returnClass(slot), silentMs(slot, Math.max(0, nowMs - readMs)));
                    case FAST_DENSITY, FAST -> records.fastHeat(slot) + (double) readMs / FAST_HALF_LIFE_MS;
                    case SLOW_DENSITY, SLOW, EARLIER_DENSITY, EARLIER -> records.slowHeat(slot)
                            + (double) readMs / SLOW_HALF_LIFE_MS;
                    case RECENT -> readMs;
                };
        return worth + ofReads(rule, slot);
    }

    /** What is added to the worth of an object's count of reads: what one saves, and what the room for it costs. */
    private double ofReads(RankingRule rule, int slot) {
        double saved = objective == Objective.TIME && rule != RankingRule.RECENT ? records.savedLog(slot) : 0;
        return rule.perByte() ? saved - roomLog(slot) : saved;
    }

    private double roomLog(int slot) {
        return objective == Objective.JOBS ? records.inputLog(slot) : Log2.of(records.sizeBytes(slot));
    }

    /** As {@link #worth}, but decayed counts and times as they are now. */
    double worthNow(RankingRule rule, int slot, long nowMs) {
        double now =
                switch (rule) {
                    case RETURN_DENSITY, RETURN -> 0;
                    case FAST_DENSITY, FAST -> (double) nowMs / FAST_HALF_LIFE_MS;
                    case SLOW_DENSITY, SLOW, EARLIER_DENSITY, EARLIER -> (double) nowMs / SLOW_HALF_LIFE_MS;
                    case RECENT -> nowMs;
                };
        return worth(rule, slot, nowMs) - now;
    }

    /** Worth of an object just read that asks to be let in; what the move costs is taken off where the rule can. */
    double bid(RankingRule rule, int slot, long nowMs) {
        return switch (rule) {
            case RETURN, RETURN_DENSITY -> model.admission(records.returnClass(slot)) + ofReads(rule, slot);
            case EARLIER, EARLIER_DENSITY -> earlier + ofReads(rule, slot);
            default -> worth(rule, slot, nowMs);
        };
    }

    /**
     * Keeps what an object is worth by its earlier reads, before the reads at hand are counted. Of objects read equally
     * often the one read last would be ahead otherwise, and in a loop each would displace the next. A first read is
     * little evidence and counts as a quarter.
     *
     * @param first whether nothing is known of earlier reads
     */
    void beforeReads(int slot, boolean first, int reads, long nowMs) {
        double heat = first ? Log2.of((long) reads) - FIRST_READ : records.slowHeat(slot);
        earlier = heat + (double) (first ? nowMs : records.readMs(slot)) / SLOW_HALF_LIFE_MS;
    }

    /** By how much more an object that asks to be let in must be worth than a member, to displace it. */
    double lead(RankingRule rule, int member, long nowMs) {
        return switch (rule) {
            case RECENT -> 0;
            case RETURN, RETURN_DENSITY -> awaitsReport(member, nowMs) ? UNKNOWN_LEAD : 0;
            case FAST, FAST_DENSITY -> unreported(records.fastHeat(member), member, nowMs);
            case SLOW, SLOW_DENSITY -> unreported(records.slowHeat(member), member, nowMs);
            case EARLIER, EARLIER_DENSITY -> CAUTIOUS_LEAD + unreported(records.slowHeat(member), member, nowMs);
        };
    }

    /** How much more a decayed count would be with the reads that may wait to be reported. */
    private double unreported(float heat, int member, long nowMs) {
        if (!awaitsReport(member, nowMs)) {
            return 0;
        }
        double reads = 1 + reportInterval(member).periodMs() / Log2.inverse(records.gapLog(member));
        return Log2.of(1 + reads / Log2.inverse(Math.max(0, heat)));
    }

    /** Whether reads are summed up over a period that is long against the object's gaps, and it is not silent yet. */
    private boolean awaitsReport(int slot, long nowMs) {
        double periodMs = reportInterval(slot).periodMs();
        return periodMs > 0
                && nowMs - records.readMs(slot) < 2 * periodMs
                && records.gapLog(slot) < Log2.of(GAPS_PER_PERIOD * periodMs + 1);
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

    /** log2(2^(heat - decay) + reads). An absolute error of 1e-16 is nothing to a float here, and log1p takes longer. */
    private static float grown(float heat, double decay, int reads) {
        double more = reads == 1 ? 0 : Math.log(reads) * PER_LN2;
        double log = heat - decay - more;
        return (float) (log < -30 ? more : more + Math.log(1 + Math.exp(log * LN2)) * PER_LN2);
    }
}
