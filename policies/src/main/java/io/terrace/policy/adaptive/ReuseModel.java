package io.terrace.policy.adaptive;

import java.util.Arrays;

/**
 * When objects come back: for each class of objects, how the time from a read to the next read of the same object is
 * distributed, those that never come back included; and from it what an object is worth that was last read so long ago.
 *
 * <p>The worth is the Gittins index of keeping it: the greatest ratio, over all spans one might keep it for, of the
 * chance that it is read within the span to the expected time it takes up room until then. It is exact for the
 * one-object problem, and what makes scans and loops harmless: after a scan the distribution says that nothing comes
 * back, in a loop that the object read longest ago is the next. Hit density as in LHD (Beckmann, Chen, Cidon, NSDI
 * 2018) is the same ratio for the span a cache happens to keep things; here all accesses count, also those to objects
 * that are not kept, so the estimate does not depend on the policy in force. Gittins, J. R. Stat. Soc. B 41/2, 1979.
 *
 * <p>Classes form a tree: all objects; by reads so far; by reads and typical gap (for objects read once: by size). A
 * class with little evidence leans on its parent by adding {@link #PRIOR_WEIGHT} pseudo-reads distributed as there; at
 * the root the prior is that half return, at any order of magnitude alike. Spans are in buckets, {@value #PER_OCTAVE}
 * per doubling. Counts are halved now and then so that old behaviour fades. Single-threaded. Room for the counts of a class is
 * allocated when they are first needed, as most DataNodes see few classes; it is never given back.
 */
final class ReuseModel {

    static final int PER_OCTAVE = 4;

    private static final int OCTAVES = 41;
    private static final int SPANS = PER_OCTAVE * OCTAVES;
    /** By reads, of objects read more than once. */
    private static final int READ_CLASSES = 5;
    /** Octaves of gaps, and of sizes. */
    private static final int OCTAVES_OF_GAP = 44;

    private static final int ONCE = 1;
    private static final int FIRST_SIZE = 2;
    private static final int FIRST_PAIR = FIRST_SIZE + OCTAVES_OF_GAP;
    private static final int FIRST_OCTAVE = FIRST_PAIR + OCTAVES_OF_GAP / 2;
    private static final int FIRST_LEAF = FIRST_OCTAVE + OCTAVES_OF_GAP;
    private static final int NODES = FIRST_LEAF + READ_CLASSES * OCTAVES_OF_GAP;
    private static final int STARTED = 0;
    private static final int FRESH = 1;
    private static final double SIZES_PER_OCTAVE = 0.666;
    private static final double ROOT_WEIGHT = 10;
    private static final double PRIOR_WEIGHT = 20;
    private static final double LEAF_PRIOR_WEIGHT = 100;
    private static final double LEAST_WORTH = 1e-30;
    private static final double STALE_SHARE = 0.1;
    private static final double STALE_LEAST = 8;
    private static final double[] ZEROS = new double[SPANS + 1];
    /** Where each span begins, in ms, and where the last one ends. */
    private static final double[] STARTS_MS = starts();

    /** By class: the returns in each span, and then their sum. Empty before an object of it came back. */
    private final double[][] returned = new double[NODES][];

    /**
     * By class: what started ({@link #STARTED}), and the evidence since its index was computed ({@link #FRESH}). Both change with
     * each read, of a class and its parents, so they lie side by side.
     */
    private final double[] evidence = new double[2 * NODES];
    /** The index per node and span. Between spans straight lines are drawn; in logarithms these would miss cliffs. */
    private final float[][] worths = new float[NODES][];
    /** Of the rows of both. */
    private long rowBytes;

    /** log2 of the index at span 0 less the cost of a move. */
    private final float[] admissions = new float[NODES];

    /** Time from letting an object in until it serves reads; what comes back sooner is no hit. */
    private double delayMs;

    private double computedDelayMs;

    private final long readsPerHalving;
    private final double moveCost;
    private long reads;
    private long movesSeen;

    private final double[] chance = new double[SPANS];
    private final double[] held = new double[SPANS + 1];
    private final double[] hits = new double[SPANS + 1];
    private final int[] hull = new int[SPANS + 1];

    /**
     * @param readsPerHalving reads after which all evidence counts half
     * @param moveCost what letting an object in costs, in hits
     */
    ReuseModel(long readsPerHalving, double moveCost) {
        this.readsPerHalving = readsPerHalving;
        this.moveCost = moveCost;
        outdate();
        Arrays.fill(returned, new double[0]);
        Arrays.fill(worths, new float[0]);
    }

    /** A move took so long; of the last twenty or so the mean is expected of the next. */
    void moved(long tookMs) {
        delayMs += (tookMs - delayMs) * Math.max(0.05, 1.0 / ++movesSeen);
        if (Math.abs(delayMs - computedDelayMs) > 0.25 * computedDelayMs + 1) {
            computedDelayMs = delayMs;
            outdate();
        }
    }

    /** The index of each class is computed anew before it is used. */
    private void outdate() {
        for (int node = 0; node < NODES; node++) {
            evidence[2 * node + FRESH] = Double.MAX_VALUE;
        }
    }

    double delayMs() {
        return delayMs;
    }

    /** Class of an object that has been read so often, with such a typical gap (log2 of ms) and size. */
    static int classOf(int reads, double gapLog, long sizeBytes) {
        if (reads <= 1) {
            return FIRST_SIZE + (int) Math.min(OCTAVES_OF_GAP - 1, Log2.of(sizeBytes) * SIZES_PER_OCTAVE);
        }
        return FIRST_LEAF + readClass(reads) * OCTAVES_OF_GAP + (int) Math.min(OCTAVES_OF_GAP - 1, gapLog);
    }

    private static int readClass(int reads) {
        return reads <= 2 ? 0 : reads <= 4 ? 1 : reads <= 8 ? 2 : reads <= 20 ? 3 : 4;
    }

    private static int parent(int node) {
        if (node >= FIRST_LEAF) {
            return FIRST_OCTAVE + (node - FIRST_LEAF) % OCTAVES_OF_GAP;
        }
        if (node >= FIRST_OCTAVE) {
            return FIRST_PAIR + (node - FIRST_OCTAVE) / 2;
        }
        return node >= FIRST_PAIR || node == ONCE ? 0 : ONCE;
    }

    private static int span(long ageMs) {
        return (int) Math.min(SPANS - 1, Log2.of(ageMs + 1) * PER_OCTAVE);
    }

    private static double[] starts() {
        double[] starts = new double[SPANS + 1];
        for (int span = 0; span <= SPANS; span++) {
            starts[span] = Log2.inverse((double) span / PER_OCTAVE) - 1;
        }
        return starts;
    }

    /** An object of the class was read; from now it is waited for. */
    void start(int node, double weight) {
        if (++reads % readsPerHalving == 0) {
            halve();
        }
        for (int at = node; ; at = parent(at)) {
            started(at, weight);
            if (at == 0) {
                return;
            }
        }
    }

    /** An object that started in the class with that weight came back after so long. */
    void end(int node, long ageMs, double weight) {
        int span = span(ageMs);
        for (int at = node; ; at = parent(at)) {
            ended(at, span, weight);
            if (at == 0) {
                return;
            }
        }
    }

    /** So many reads of one object, each so long after the one before; the last is waited for no longer. */
    void startAndEnd(int node, int count, long gapMs, double weight) {
        int span = span(gapMs);
        for (int at = node; ; at = parent(at)) {
            started(at, count * weight);
            ended(at, span, count * weight);
            if (at == 0) {
                return;
            }
        }
    }

    private void started(int node, double weight) {
        evidence[2 * node + STARTED] += weight;
        evidence[2 * node + FRESH] += weight;
    }

    private void ended(int node, int span, double weight) {
        double[] counts = returned[node];
        if (counts.length == 0) {
            counts = new double[SPANS + 1];
            returned[node] = counts;
            rowBytes += 8 * (SPANS + 1);
        }
        counts[span] += weight;
        counts[SPANS] += weight;
        evidence[2 * node + FRESH] += weight;
    }

    private void halve() {
        for (int node = 0; node < NODES; node++) {
            evidence[2 * node + STARTED] /= 2;
            double[] counts = returned[node];
            for (int span = 0; span < counts.length; span++) {
                counts[span] /= 2;
            }
        }
        outdate();
    }

    /** log2 of expected hits per ms of room taken, for an object of the class last read so long ago. */
    double worth(int node, long ageMs) {
        refresh(node);
        float[] worth = worths[node];
        double place = Log2.of(ageMs + 1) * PER_OCTAVE;
        int span = (int) place;
        if (span >= SPANS - 1) {
            return Log2.of(worth[SPANS - 1]);
        }
        double part = place - span;
        return Log2.of(worth[span] * (1 - part) + worth[span + 1] * part);
    }

    /** As {@link #worth} at age 0, less the cost of the move; minus infinity when it would never pay back. */
    double admission(int node) {
        refresh(node);
        return admissions[node];
    }

    /** Chance that an object of the class is read again at all. */
    double returnChance(int node) {
        distribute(node);
        return Arrays.stream(chance).sum();
    }

    private void refresh(int node) {
        if (evidence[2 * node + FRESH] > Math.max(STALE_LEAST, STALE_SHARE * evidence[2 * node + STARTED])) {
            evidence[2 * node + FRESH] = 0;
            compute(node);
        }
    }

    /**
     * Fills {@link #chance} with the chance of coming back in each span. Where evidence was halved, more returns than reads may
     * be counted, as those of reads before count whole; there were no fewer reads than returns.
     */
    private void distribute(int node) {
        double[] counts = returned[node];
        if (counts.length == 0) {
            counts = ZEROS;
        }
        double reads = Math.max(evidence[2 * node + STARTED], counts[SPANS]);
        if (node == 0) {
            double sum = reads + ROOT_WEIGHT;
            for (int span = 0; span < SPANS; span++) {
                chance[span] = (counts[span] + ROOT_WEIGHT * 0.5 / SPANS) / sum;
            }
            return;
        }
        distribute(parent(node));
        double prior = node >= FIRST_LEAF ? LEAF_PRIOR_WEIGHT : PRIOR_WEIGHT;
        double sum = reads + prior;
        for (int span = 0; span < SPANS; span++) {
            chance[span] = (counts[span] + prior * chance[span]) / sum;
        }
    }

    /**
     * With hits(s) the chance of a read up to span s and held(s) the expected time held up to it, the index at span a is
     * the steepest slope from (held(a), hits(a)) to any later point: the first edge of the upper convex hull of the
     * points from a on, which is built from the right.
     */
    private void compute(int node) {
        distribute(node);
        double waiting = 1;
        for (int span = 0; span < SPANS; span++) {
            double after = Math.max(1e-9, waiting - chance[span]);
            double width = STARTS_MS[span + 1] - STARTS_MS[span];
            held[span + 1] = held[span] + width * (waiting + after) / 2;
            hits[span + 1] = hits[span] + chance[span];
            waiting = after;
        }
        if (worths[node].length == 0) {
            worths[node] = new float[SPANS];
            rowBytes += 4 * SPANS;
        }
        float[] worth = worths[node];
        int top = 0;
        hull[0] = SPANS;
        for (int span = SPANS - 1; span >= 0; span--) {
            while (top > 0 && isAsSteep(span, hull[top - 1], hull[top])) {
                top--;
            }
            worth[span] = (float) Math.max(LEAST_WORTH, slope(span, hull[top]));
            hull[++top] = span;
        }
        admissions[node] = admissionOf();
    }

    /**
     * As the index at age 0, less the cost of the move and the returns that come before it is done. One move serves all
     * returns until the object stays away: with p the chance to return, 1 / (1 - p) of them share its cost. And one that
     * comes back before the move is done may come back again: after m returns p^m of the objects still do.
     */
    private float admissionOf() {
        int arrival = delayMs < 1 ? 0 : span((long) delayMs);
        double early = hits[arrival];
        double gapSum = 0;
        for (int span = 0; span < arrival; span++) {
            gapSum += chance[span] * (STARTS_MS[span] + STARTS_MS[span + 1]) / 2;
        }
        double returns = early == 0 ? 1 : Math.max(1, delayMs * early / gapSum);
        double bestHits = 0;
        double bestHeld = 1;
        for (int span = arrival + 1; span <= SPANS; span++) {
            double toPay = moveCost * Math.max(0, 1 - hits[span]);
            double gained = hits[span] - toPay;
            if (early != 0
                    && gained * bestHeld > bestHits * held[span]) { // A power takes long: only where it may matter.
                gained -= early * (1 - Math.pow(hits[span], returns));
            }
            if (gained * bestHeld > bestHits * held[span]) {
                bestHits = gained;
                bestHeld = held[span];
            }
        }
        double best = bestHits / bestHeld;
        return best <= 0 ? Float.NEGATIVE_INFINITY : (float) Log2.of(Math.max(LEAST_WORTH, best));
    }

    /** Whether the slope to a point is at least that to the other one. Without a division: this is most of the model's work. */
    private boolean isAsSteep(int from, int to, int other) {
        return (hits[to] - hits[from]) * (held[other] - held[from])
                >= (hits[other] - hits[from]) * (held[to] - held[from]);
    }

    private double slope(int from, int to) {
        return (hits[to] - hits[from]) / (held[to] - held[from]);
    }

    long memoryBytes() {
        return NODES * 28L + SPANS * 28L + rowBytes;
    }
}
