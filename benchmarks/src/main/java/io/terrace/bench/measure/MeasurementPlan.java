package io.terrace.bench.measure;

/**
 * How much is measured. Ratios need many short rounds rather than few long ones, since what disturbs a machine comes and
 * goes.
 *
 * @param fileBytes length of the hot and of the cold file, one block each
 * @param bufferBytes of sequential reads
 * @param readsPerRound positional reads of a round
 * @param opensPerRound opens of a round
 * @param warmUps rounds that do not count
 * @param rounds of medians
 * @param pairs rounds of figures with a lower bound
 * @param firstReads files for first reads
 * @param firstBytes length of each
 * @param cpuStockBytes bytes read over TCP in all rounds to measure the DataNode's CPU; at least a second's worth
 * @param cpuTerraceBytes bytes read through grants for the same
 * @param promotions blocks that become hot, and blocks that are copied
 */
public record MeasurementPlan(
        long fileBytes,
        int bufferBytes,
        int readsPerRound,
        int opensPerRound,
        int warmUps,
        int rounds,
        int pairs,
        int firstReads,
        long firstBytes,
        long cpuStockBytes,
        long cpuTerraceBytes,
        int promotions) {
    /** A run whose figures can be quoted: takes some minutes. */
    public static MeasurementPlan full() {
        return new MeasurementPlan(128L << 20, 128 << 10, 300, 20, 5, 31, 41, 24, 32L << 20, 4L << 30, 32L << 30, 9);
    }

    /** A quick run that shows that everything works: under a minute, with imprecise figures. */
    public static MeasurementPlan quick() {
        return new MeasurementPlan(16L << 20, 128 << 10, 100, 5, 1, 5, 7, 6, 4L << 20, 256L << 20, 1L << 30, 3);
    }
}
