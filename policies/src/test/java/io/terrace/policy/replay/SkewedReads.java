package io.terrace.policy.replay;

import java.util.Arrays;
import java.util.Random;

/** Reads of equal objects drawn by Zipf's law of exponent 1, at random times. */
final class SkewedReads {

    static final long OBJECT_BYTES = 4 << 20;
    private static final int READ_BYTES = 64 << 10;

    private final Random random;
    private final int[] byRank;
    private final double[] cumulative;

    SkewedReads(int objects, long seed) {
        random = new Random(seed);
        byRank = new int[objects];
        cumulative = new double[objects];
        double sum = 0;
        for (int rank = 0; rank < objects; rank++) {
            sum += 1.0 / (rank + 1);
            cumulative[rank] = sum;
            byRank[rank] = rank;
        }
        shuffle();
    }

    private void shuffle() {
        for (int rank = byRank.length - 1; rank > 0; rank--) {
            int other = random.nextInt(rank + 1);
            int object = byRank[rank];
            byRank[rank] = byRank[other];
            byRank[other] = object;
        }
    }

    private int draw() {
        double u = random.nextDouble() * cumulative[cumulative.length - 1];
        int at = Arrays.binarySearch(cumulative, u);
        return byRank[Math.min(at < 0 ? -at - 1 : at, byRank.length - 1)];
    }

    /**
     * Makes a trace.
     *
     * @param perS reads a second, on average
     * @param pauseEvery reads after which nobody reads for an hour; 0 for never
     * @param shuffleEvery reads after which all objects change their popularity; 0 for never
     */
    Trace trace(int reads, double perS, int pauseEvery, int shuffleEvery) {
        Trace.Builder rows = new Trace.Builder("skewed");
        double ms = 0;
        for (int i = 0; i < reads; i++) {
            ms -= Math.log(1 - random.nextDouble()) * 1000 / perS;
            if (pauseEvery > 0 && i % pauseEvery == pauseEvery - 1) {
                ms += 3_600_000;
            }
            if (shuffleEvery > 0 && i % shuffleEvery == shuffleEvery - 1) {
                shuffle();
            }
            rows.add((long) ms, draw(), READ_BYTES, OBJECT_BYTES, false, -1);
        }
        return rows.build();
    }
}
