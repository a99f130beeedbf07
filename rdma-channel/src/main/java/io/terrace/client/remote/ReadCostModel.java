package io.terrace.client.remote;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What readers took lately, in nanoseconds: for each DataNode that was read from, for each way (its memory through our
 * channel, or stock HDFS), and for each size that a reader was opened for. A small range costs by the reader, a long
 * one by the byte.
 *
 * <p>{@link #prefersMemory} chooses the cheaper way. Now and then it has the other way tried, since its cost would not
 * be learned otherwise. A trial of a way that cost r times as much comes once in 64 r readers, so all trials together
 * cost at most a sixty-fourth of the time. Bounded in DataNodes; thread-safe.
 */
public final class ReadCostModel {
    private static final int TRIAL_READERS = 64;
    /** Until a way is known at all; few enough to know soon, and the trial of an unknown cost must still be rare. */
    private static final int FIRST_TRIAL_READERS = 16;

    private static final int MOST_TRIAL_READERS = 1 << 20;
    private static final int KNOWN_SAMPLES = 3;
    private static final double CLEARLY_CHEAPER = 1.25;

    private final int mostNodes;
    private final Map<String, Costs> memory = new ConcurrentHashMap<>();
    private final Map<String, Costs> stock = new ConcurrentHashMap<>();

    /** @param mostNodes DataNodes to remember of each way; beyond that all is learned anew */
    ReadCostModel(int mostNodes) {
        this.mostNodes = mostNodes;
    }

    /** What the memory of a DataNode takes. */
    public Costs memory(String datanode) {
        return of(memory, datanode);
    }

    /** What stock HDFS takes to read from a DataNode what another has in memory. */
    public Costs stock(String datanode) {
        return of(stock, datanode);
    }

    /** Whether this reader is to read memory; counts it. */
    public static boolean prefersMemory(Costs memory, Costs stock, long rangeBytes) {
        SizeCost ours = memory.of(rangeBytes);
        SizeCost theirs = stock.of(rangeBytes);
        boolean known = ours.samples >= KNOWN_SAMPLES && theirs.samples >= KNOWN_SAMPLES;
        boolean stockCheaper = known && theirs.mean() * CLEARLY_CHEAPER < ours.mean();
        double costRatio = !known ? 0 : stockCheaper ? ours.mean() / theirs.mean() : theirs.mean() / ours.mean();
        double interval =
                known ? Math.min(MOST_TRIAL_READERS, TRIAL_READERS * Math.max(1, costRatio)) : FIRST_TRIAL_READERS;
        boolean trial = ours.tick(interval);
        return stockCheaper == trial;
    }

    private Costs of(Map<String, Costs> way, String datanode) {
        Costs known = way.get(datanode);
        if (known != null) {
            return known;
        }
        if (way.size() >= mostNodes) {
            way.clear();
        }
        return way.computeIfAbsent(datanode, fresh -> new Costs());
    }

    /** Of one DataNode and way. */
    public static final class Costs {
        /** Up to 1 KB, 4 KB, and so on to 1 MB, and more. */
        private static final int SIZES = 7;

        private final SizeCost[] bySize = new SizeCost[SIZES];

        private Costs() {
            for (int i = 0; i < SIZES; i++) {
                bySize[i] = new SizeCost(i == SIZES - 1);
            }
        }

        /**
         * Tells what a reader took.
         *
         * @param rangeBytes what it was opened for
         * @param readBytes what it read
         * @param tookNs in opening and in reads
         */
        public void took(long rangeBytes, long readBytes, long tookNs) {
            of(rangeBytes).took(readBytes, tookNs);
        }

        private SizeCost of(long rangeBytes) {
            int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, rangeBytes) - 1);
            return bySize[Math.max(0, Math.min(SIZES - 1, (bits - 9) / 2))];
        }
    }

    /** A mean that forgets, of time by the reader or by the byte. */
    private static final class SizeCost {
        private static final double KEPT = 7.0 / 8;
        /** One slow read must not turn the choice over; what stays slow still gets through in a few readers. */
        private static final double MOST_TIMES_MEAN = 4;

        private final boolean byByte;

        /** The median of them is the first mean: the very first reader also connects, and asks for what others keep. */
        private final double[] first = new double[KNOWN_SAMPLES];

        private double ns;
        private double weight;
        private long sinceTrial;

        private volatile int samples;
        private volatile double mean;

        SizeCost(boolean byByte) {
            this.byByte = byByte;
        }

        double mean() {
            return mean;
        }

        synchronized void took(long readBytes, long tookNs) {
            double fresh = byByte ? readBytes : 1;
            if (samples < KNOWN_SAMPLES) {
                first[samples] = tookNs / fresh;
                if (samples == KNOWN_SAMPLES - 1) {
                    Arrays.sort(first);
                    mean = first[KNOWN_SAMPLES / 2];
                    weight = fresh / (1 - KEPT);
                    ns = mean * weight;
                }
                samples++;
                return;
            }
            ns = ns * KEPT + Math.min(tookNs, MOST_TIMES_MEAN * mean * fresh);
            weight = weight * KEPT + fresh;
            mean = ns / weight;
        }

        synchronized boolean tick(double interval) {
            if (++sinceTrial < interval) {
                return false;
            }
            sinceTrial = 0;
            return true;
        }
    }
}
