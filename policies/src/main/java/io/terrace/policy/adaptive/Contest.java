package io.terrace.policy.adaptive;

import java.util.Arrays;

/**
 * Picks the rule to follow: each candidate keeps an imagined residency of its own on the same accesses, and scores what
 * it would have served less what its moves would have cost. Old scores fade; the favourite changes only when another is
 * clearly ahead.
 *
 * <p>All candidates see the same objects: all of them while few are tracked, then a hash sample halved as often as
 * needed to keep at most {@code sampled} of them, with capacities scaled alike (Waldspurger et al., USENIX ATC 2017).
 */
final class Contest {

    private static final Rule[] RULES = Rule.values();
    private static final int FIRST_BIT = 2;
    /** Least and most reads over which scores fade by a factor e; between them a quarter of all reads so far. */
    private static final double SHORTEST = 2000;

    private static final double LONGEST = 100_000;
    private static final int JUDGE_EVERY = 64;

    private final Records records;
    private final Residency[] imagined = new Residency[RULES.length];
    private final double[] scores = new double[RULES.length];
    private final Objective objective;
    private final double moveCost;
    private final double margin;
    private final int sampledMost;

    private long capacityBytes;
    private int halvings;
    private double weight = 1;
    private double total;
    private long judged;
    private Rule favourite;

    /**
     * @param margin share of all that was read by which another rule must be ahead to become the favourite
     * @param moveCost what a move costs, as a share of what serving the object is worth
     */
    Contest(
            Records records,
            Ranking ranking,
            long capacityBytes,
            Objective objective,
            double moveCost,
            double margin,
            int sampledMost) {
        this.records = records;
        this.capacityBytes = capacityBytes;
        this.objective = objective;
        this.moveCost = moveCost;
        this.margin = margin;
        this.sampledMost = sampledMost;
        favourite = objective == Objective.BYTES ? Rule.RETURN : Rule.RETURN_DENSITY;
        for (int i = 0; i < RULES.length; i++) {
            imagined[i] = new Residency(FIRST_BIT << i, records, ranking, capacityBytes);
        }
    }

    Rule favourite() {
        return favourite;
    }

    /** Share of the value read that a rule would have kept ready, its moves taken off. */
    double score(Rule rule) {
        return total == 0 ? 0 : scores[rule.ordinal()] / total;
    }

    /** Share of the ids in the sample. */
    double rate() {
        return Math.scalb(1.0, -halvings);
    }

    /**
     * The object, already counted in its record, was read; its residencies are as before the read.
     *
     * @param tooSoon whether an object let in at its last read could not have served this one yet, moves taking their
     *     time; then the read proves nothing for any rule
     */
    void read(int slot, long hash, long bytes, boolean tooSoon, long nowMs) {
        if (!sampled(hash)) {
            return;
        }
        double value = objective.value(bytes) * weight;
        total += tooSoon ? 0 : value;
        for (int i = 0; i < RULES.length; i++) {
            if (imagined[i].has(slot)) {
                scores[i] += tooSoon ? 0 : value;
            } else if (imagined[i].offer(slot, RULES[i], nowMs, Contest::nobody)) {
                scores[i] -= moveCost * value;
            }
        }
        judge();
    }

    /** A read that is no new sign of interest: it counts for the scores and lets nothing in. */
    void readAgain(int slot, long hash, long bytes) {
        if (sampled(hash)) {
            double value = objective.value(bytes) * weight;
            total += value;
            for (int i = 0; i < RULES.length; i++) {
                scores[i] += imagined[i].has(slot) ? value : 0;
            }
        }
    }

    private boolean sampled(long hash) {
        // Bits that neither the index nor its tags use much.
        return (hash & sampleMask()) == 0;
    }

    private long sampleMask() {
        return ((1L << halvings) - 1) << 32;
    }

    private void judge() {
        judged++;
        double span = Math.max(SHORTEST, Math.min(LONGEST, judged * 0.25));
        weight *= 1 + 1 / span;
        if (weight > 1e100) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] /= weight;
            }
            total /= weight;
            weight = 1;
        }
        if (judged % JUDGE_EVERY == 0) {
            int best = 0;
            for (int i = 1; i < scores.length; i++) {
                if (scores[i] > scores[best]) {
                    best = i;
                }
            }
            if (scores[best] > scores[favourite.ordinal()] + margin * total) {
                favourite = RULES[best];
            }
        }
    }

    /** Halves the sample when too many objects are tracked. */
    void thin() {
        while (records.count() * rate() > sampledMost && halvings < 20) {
            halvings++;
            for (Residency residency : imagined) {
                residency.thin(sampleMask());
            }
            capacity(capacityBytes, 0);
        }
    }

    void capacity(long bytes, long nowMs) {
        capacityBytes = bytes;
        for (int i = 0; i < RULES.length; i++) {
            imagined[i].capacity(bytes >>> halvings);
            imagined[i].shrink(RULES[i], nowMs, Contest::nobody);
        }
    }

    void leave(int slot) {
        for (Residency residency : imagined) {
            residency.leave(slot);
        }
    }

    /** The object's size is about to change. */
    void grow(int slot, long bytes) {
        for (int i = 0; i < RULES.length; i++) {
            imagined[i].grow(slot, bytes);
        }
    }

    void shrink(long nowMs) {
        capacity(capacityBytes, nowMs);
    }

    long memoryBytes() {
        return Arrays.stream(imagined).mapToLong(Residency::memoryBytes).sum();
    }

    private static void nobody(long object, long sizeBytes) {}
}
