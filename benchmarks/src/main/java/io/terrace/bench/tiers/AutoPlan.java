package io.terrace.bench.tiers;

/**
 * Skewed reads of whole files, of which the SSDs hold a part.
 *
 * @param files each of one block and one replica
 * @param fileBytes length of each
 * @param times how many times the SSDs' size the files have together
 * @param skew of Zipf's law, by which files are drawn
 * @param readers read at the same time
 * @param settling reads before it is measured, with tiers
 * @param measured reads that are measured, with tiers
 * @param stock reads that are measured without
 */
public record AutoPlan(
        int files, int fileBytes, int times, double skew, int readers, int settling, int measured, int stock) {

    /** About three minutes. */
    public static AutoPlan full() {
        return new AutoPlan(1_024, 1 << 20, 4, 1.0, 2, 20_000, 8_000, 3_000);
    }

    /** To see that it works. */
    public static AutoPlan quick() {
        return new AutoPlan(128, 1 << 20, 4, 1.0, 2, 2_000, 1_000, 500);
    }

    long ssdBytes(int datanodes) {
        return (long) files * fileBytes / times / datanodes;
    }
}
