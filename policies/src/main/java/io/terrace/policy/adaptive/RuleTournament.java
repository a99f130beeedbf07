package io.terrace.policy.adaptive;

/**
 * Picks the rule to follow: each candidate keeps an imagined residency of its own on the same accesses, and scores what
 * it would have served less what its moves would have cost. Old scores fade; the leader changes only when another is
 * ahead by the margin, and by more than chance gives.
 *
 * <p>All candidates see the same objects: all of them while few are tracked, then a hash sample halved as often as
 * needed to keep at most {@code sampled} of them, with capacities scaled alike (Waldspurger et al., USENIX ATC 2017).
 */
final class RuleTournament {

    private static final RankingRule[] FOR_OBJECTS = {
        RankingRule.RETURN_DENSITY,
        RankingRule.RETURN,
        RankingRule.FAST_DENSITY,
        RankingRule.EARLIER_DENSITY,
        RankingRule.SLOW_DENSITY,
        RankingRule.SLOW,
        RankingRule.RECENT
    };
    private static final RankingRule[] FOR_BYTES = {
        RankingRule.RETURN_DENSITY,
        RankingRule.RETURN,
        RankingRule.FAST,
        RankingRule.EARLIER,
        RankingRule.SLOW_DENSITY,
        RankingRule.SLOW,
        RankingRule.RECENT
    };
    private static final int FIRST_BIT = 2;
    /** Least and most reads over which scores fade by a factor e; between them a quarter of all reads so far. */
    private static final double SHORTEST = 2000;

    private static final double LONGEST = 100_000;
    private static final int JUDGE_EVERY = 64;
    /** Standard deviations by which another rule must be ahead besides; few reads, or a few large sums, prove little. */
    private static final double UNCERTAINTY = 0.5;
    /**
     * Standard deviations more for a rule that moves an object at every read where the leader moves none: while little is
     * known, such a rule is ahead by chance often, and each of its moves is paid at once.
     */
    private static final double MOVES_UNCERTAINTY = 3;
    /** Reads up to which all of that is asked for; twice as many ask for half of it, and so on. */
    private static final double MANY_READS = 500;

    /** Share of all bytes read, or of the time of all reads; where sizes differ by orders of magnitude, nothing would ever be proved otherwise. */
    private static final double MOST_UNCERTAINTY = 0.01;
    /** The same of all jobs, since the parts of a large input are read by few of them: with 0.005 fewer were served. */
    private static final double MOST_UNCERTAINTY_OF_JOBS = 0.002;

    private final ObjectRecords records;
    private final ObjectRanking ranking;
    /** Candidates, as many as a record has bits for; scores and residencies are in their sequence. */
    private final RankingRule[] rules;

    private final CacheContents[] imagined;
    private final ShadowTransfers shadowTransfers;
    private final double[] scores;
    /** What was moved in by each rule, counted and fading like the scores. */
    private final double[] moved;

    private final Objective objective;
    private final double moveCost;
    private final double margin;
    private final int sampledMost;

    private long capacityBytes;
    private int halvings;
    private double weight = 1;
    private double total;
    /** Sum of the squares of what was read, fading as the scores do, over the present weight. */
    private double squares;

    private long judged;
    /** Reads by which scores have faded; by jobs, the blocks of one input count as one. */
    private double told;

    private RankingRule leader;
    /**
     * The rule ahead at present, and since when. Where reads are reported in sums it has to stay ahead for a while:
     * what the leader's objects were read is reported later than what others' were.
     */
    private RankingRule challenger;

    private long challengedMs;
    /** The rule that needs no margin: it is followed where several are about as good. */
    private final RankingRule natural;
    /** Followed at first, and the same rule without its caution: these two differ little, so less proof is asked. */
    private final RankingRule cautious;

    private final RankingRule eager;

    /**
     * @param margin share of all that was read by which another rule must be ahead to become the leader
     * @param moveCost what a move costs, as a share of what serving the object is worth
     */
    RuleTournament(
            ObjectRecords records,
            ObjectRanking ranking,
            long capacityBytes,
            Objective objective,
            double moveCost,
            double margin,
            int sampledMost) {
        this.records = records;
        this.ranking = ranking;
        shadowTransfers = new ShadowTransfers(records);
        this.capacityBytes = capacityBytes;
        this.objective = objective;
        this.moveCost = moveCost;
        this.margin = margin;
        this.sampledMost = sampledMost;
        boolean bytes = objective == Objective.BYTES;
        rules = bytes ? FOR_BYTES : FOR_OBJECTS;
        imagined = new CacheContents[rules.length];
        scores = new double[rules.length];
        moved = new double[rules.length];
        natural = bytes ? RankingRule.RETURN : RankingRule.RETURN_DENSITY;
        // Frequency is known from the first reads on; reuse has to be observed first.
        cautious = bytes ? RankingRule.EARLIER : RankingRule.EARLIER_DENSITY;
        eager = bytes ? RankingRule.SLOW : RankingRule.SLOW_DENSITY;
        leader = cautious;
        challenger = leader;
        for (int i = 0; i < rules.length; i++) {
            imagined[i] = new CacheContents(FIRST_BIT << i, records, ranking, capacityBytes);
        }
    }

    RankingRule leader() {
        return leader;
    }

    /** Share of the ids in the sample. */
    double rate() {
        return Math.scalb(1.0, -halvings);
    }

    /**
     * The object, already counted in its record, was read; its residencies are as before the read.
     *
     * @param worth of all reads reported together, by the objective
     * @param burst how many these are
     * @param delayMs time from letting an object in until it serves reads
     */
    void read(int slot, long hash, double worth, int burst, double delayMs, long nowMs) {
        if (!sampled(hash)) {
            return;
        }
        shadowTransfers.arrive(nowMs);
        double share = share(slot);
        double value = worth * weight * share;
        count(value);
        for (int i = 0; i < rules.length; i++) {
            if (imagined[i].has(slot)) {
                scores[i] += records.travels(slot, i) ? 0 : value;
            } else if (imagined[i].offer(slot, rules[i], nowMs, RuleTournament::nobody)) {
                scores[i] -= moveCost * value / burst;
                moved[i] += value / burst;
                if (delayMs >= 1) {
                    shadowTransfers.add(slot, i, nowMs + (long) delayMs);
                }
            }
        }
        judge(share, nowMs);
    }

    /** A read that is no new sign of interest: it counts for the scores and lets nothing in. */
    void readAgain(int slot, long hash, double worth, long nowMs) {
        if (sampled(hash)) {
            shadowTransfers.arrive(nowMs);
            double value = worth * weight * share(slot);
            count(value);
            for (int i = 0; i < rules.length; i++) {
                scores[i] += imagined[i].has(slot) && !records.travels(slot, i) ? value : 0;
            }
        }
    }

    /** Of a job, how much of its input the object is; else 1. */
    private double share(int slot) {
        return objective == Objective.JOBS
                ? Math.min(1, records.sizeBytes(slot) / Log2.inverse(records.inputLog(slot)))
                : 1;
    }

    private void count(double value) {
        total += value;
        squares += value * value;
    }

    private boolean sampled(long hash) {
        // Bits that the index and its tags use little.
        return (hash & sampleMask()) == 0;
    }

    private long sampleMask() {
        return ((1L << halvings) - 1) << 32;
    }

    private void judge(double share, long nowMs) {
        judged++;
        told += share;
        double span = Math.max(SHORTEST, Math.min(LONGEST, told * 0.25));
        weight *= 1 + share / span;
        if (weight > 1e100) {
            for (int i = 0; i < scores.length; i++) {
                scores[i] /= weight;
                moved[i] /= weight;
            }
            total /= weight;
            squares /= weight * weight;
            weight = 1;
        }
        if (judged % JUDGE_EVERY == 0) {
            chooseFavourite(nowMs);
        }
    }

    private void chooseFavourite(long nowMs) {
        RankingRule best = cautiousOrEager(leader);
        int followed = indexOf(best);
        double ahead = 0;
        for (int i = 0; i < rules.length; i++) {
            double proof = uncertainty() + uncertaintyOfMoves(i, followed) + (rules[i] == natural ? 0 : margin * total);
            double lead = scores[i] - scores[followed] - proof;
            if (i != followed && lead > ahead) {
                ahead = lead;
                best = rules[i];
            }
        }
        if (best != challenger) {
            challenger = best;
            challengedMs = nowMs;
        }
        if (nowMs - challengedMs >= ranking.silenceMs()) {
            leader = best;
        }
    }

    private RankingRule cautiousOrEager(RankingRule rule) {
        int careful = indexOf(cautious);
        int quick = indexOf(eager);
        double lead = scores[quick] - scores[careful];
        if (rule == cautious && lead > uncertainty() / 2 + uncertaintyOfMoves(quick, careful)) {
            return eager;
        }
        return rule == eager && lead < 0 ? cautious : rule;
    }

    private double uncertainty() {
        double uncertainty = UNCERTAINTY * Math.sqrt(squares);
        return switch (objective) {
            case OBJECTS -> uncertainty;
            case BYTES, TIME -> Math.min(uncertainty, MOST_UNCERTAINTY * total);
            case JOBS -> Math.min(uncertainty, MOST_UNCERTAINTY_OF_JOBS * total);
        };
    }

    /** By bytes, time or jobs, a few reads make up most of the sum for ever, so nothing more is asked for there. */
    private double uncertaintyOfMoves(int rule, int followed) {
        if (objective != Objective.OBJECTS || total <= 0 || moved[rule] <= moved[followed]) {
            return 0;
        }
        double more = (moved[rule] - moved[followed]) / total;
        double few = Math.min(1, MANY_READS * squares / (total * total));
        return MOVES_UNCERTAINTY * Math.sqrt(squares) * more * few;
    }

    private int indexOf(RankingRule rule) {
        for (int i = 0; i < rules.length; i++) {
            if (rules[i] == rule) {
                return i;
            }
        }
        throw new IllegalArgumentException(rule + " is no candidate");
    }

    /** Halves the sample when too many objects are tracked. */
    void thin(long nowMs) {
        while (records.count() * rate() > sampledMost && halvings < 20) {
            halvings++;
            for (CacheContents cacheContents : imagined) {
                cacheContents.thin(sampleMask(), sampledMost);
            }
            capacity(capacityBytes, nowMs);
        }
    }

    void capacity(long bytes, long nowMs) {
        capacityBytes = bytes;
        for (int i = 0; i < rules.length; i++) {
            imagined[i].capacity(bytes >>> halvings);
            imagined[i].shrink(rules[i], nowMs, RuleTournament::nobody);
        }
    }

    void leave(int slot) {
        for (CacheContents cacheContents : imagined) {
            cacheContents.leave(slot);
        }
        shadowTransfers.cancelAll(slot);
    }

    /** The object's size is about to change. */
    void grow(int slot, long bytes) {
        for (int i = 0; i < rules.length; i++) {
            imagined[i].grow(slot, bytes);
        }
    }

    void resized(int slot, long nowMs) {
        for (int i = 0; i < rules.length; i++) {
            imagined[i].resized(slot, rules[i], nowMs);
        }
        capacity(capacityBytes, nowMs);
    }

    long memoryBytes() {
        long bytes = shadowTransfers.memoryBytes();
        for (CacheContents contents : imagined) {
            bytes += contents.memoryBytes();
        }
        return bytes;
    }

    private static void nobody(long object, long sizeBytes) {}
}
