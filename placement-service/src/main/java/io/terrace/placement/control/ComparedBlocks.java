package io.terrace.placement.control;

import io.terrace.common.StorageTier;
import io.terrace.placement.control.Estimate.Sums;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one arm that heat asked a tier for, and how long their reads took since they were asked for, or since they
 * climbed. A block counts for the fastest tier that it was asked for. Beyond {@value #MOST_BLOCKS} the one that was asked for
 * first is forgotten.
 */
final class ComparedBlocks {

    static final int MOST_BLOCKS = 4_096;

    private final Map<Long, Times> blocks = new LinkedHashMap<>();

    private static final class Times {
        private final StorageTier tier;
        private boolean counts;
        private double reads;
        private double timedReads;
        private double timedNs;

        private Times(StorageTier tier, boolean counts) {
            this.tier = tier;
            this.counts = counts;
        }
    }

    /**
     * What is known of a tier.
     *
     * @param blocks with reads that count
     * @param readNs of the reads that were timed, by block
     */
    record Known(int blocks, double reads, double timedReads, Sums readNs) {

        @Nullable
        Estimate estimate() {
            return readNs.estimate();
        }
    }

    /** @param counts whether its reads count from now on, or only once it climbed */
    void asked(StorageTier tier, long blockId, boolean counts) {
        Times known = blocks.get(blockId);
        if (known != null && known.tier.compareTo(tier) <= 0) {
            return;
        }
        blocks.put(blockId, new Times(tier, counts));
        if (blocks.size() > MOST_BLOCKS) {
            Iterator<Long> first = blocks.keySet().iterator();
            first.next();
            first.remove();
        }
    }

    /** What the tier was asked for has come there. */
    void climbed(StorageTier tier, long blockId) {
        Times known = blocks.get(blockId);
        if (known != null && known.tier == tier) {
            known.counts = true;
        }
    }

    void read(long blockId, long reads, long timedReads, long timedNs) {
        Times known = blocks.get(blockId);
        if (known != null && known.counts) {
            known.reads += reads;
            known.timedReads += timedReads;
            known.timedNs += timedNs;
        }
    }

    Known of(StorageTier tier) {
        int count = 0;
        double reads = 0;
        double timedReads = 0;
        Sums readNs = new Sums();
        for (Times times : blocks.values()) {
            if (times.tier == tier && times.reads > 0) {
                count++;
                reads += times.reads;
                timedReads += times.timedReads;
                if (times.timedReads > 0) {
                    readNs.add(times.timedReads, times.timedNs);
                }
            }
        }
        return new Known(count, reads, timedReads, readNs);
    }

    double timedReads(StorageTier tier) {
        double sum = 0;
        for (Times times : blocks.values()) {
            sum += times.tier == tier ? times.timedReads : 0;
        }
        return sum;
    }

    /** What was read before counts half; blocks without a read by now are forgotten. */
    void halve() {
        blocks.values().removeIf(times -> times.counts && times.reads < 0.5);
        for (Times times : blocks.values()) {
            times.reads /= 2;
            times.timedReads /= 2;
            times.timedNs /= 2;
        }
    }

    void forget(StorageTier tier) {
        blocks.values().removeIf(times -> times.tier == tier);
    }
}
