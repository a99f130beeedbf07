package io.terrace.policy.adaptive;

/**
 * Worth of a tracked object under each {@link Rule}, as a logarithm to base 2, so that all that matters is the order.
 * Decayed counts are kept as they were at the last read and taken to the present when asked for.
 */
final class Ranking {

    static final long FAST_HALF_LIFE_MS = 600_000;
    static final long SLOW_HALF_LIFE_MS = 6 * 3_600_000L;

    private final Records records;
    private final ReturnModel model;

    Ranking(Records records, ReturnModel model) {
        this.records = records;
        this.model = model;
    }

    double worth(Rule rule, int slot, long nowMs) {
        long ageMs = Math.max(0, nowMs - records.readMs(slot));
        double worth =
                switch (rule) {
                    case RETURN_DENSITY, RETURN -> model.worth(records.returnClass(slot), ageMs);
                    case FAST_DENSITY, FAST -> records.fastHeat(slot) - (double) ageMs / FAST_HALF_LIFE_MS;
                    case SLOW_DENSITY, SLOW -> records.slowHeat(slot) - (double) ageMs / SLOW_HALF_LIFE_MS;
                    case RECENT -> -ageMs;
                };
        return rule.perByte() ? worth - Log2.of(records.sizeBytes(slot)) : worth;
    }

    /** Worth of an object just read that asks to be let in; what the move costs is taken off where the rule can. */
    double bid(Rule rule, int slot, long nowMs) {
        return switch (rule) {
            case RETURN -> model.admission(records.returnClass(slot));
            case RETURN_DENSITY -> model.admission(records.returnClass(slot)) - Log2.of(records.sizeBytes(slot));
            default -> worth(rule, slot, nowMs);
        };
    }

    /** Counts a read that is not the first: the decayed counts are taken to now and grow by one. */
    void heat(int slot, long ageMs) {
        records.heats(
                slot,
                grown(records.fastHeat(slot), (double) ageMs / FAST_HALF_LIFE_MS),
                grown(records.slowHeat(slot), (double) ageMs / SLOW_HALF_LIFE_MS));
    }

    /** log2(2^(heat - decay) + 1). */
    private static float grown(float heat, double decay) {
        double log = heat - decay;
        return log < -30 ? 0 : (float) (Math.log1p(Math.exp(log * 0.6931471805599453)) * 1.4426950408889634);
    }
}
