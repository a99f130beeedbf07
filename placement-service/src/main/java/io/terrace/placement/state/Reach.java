package io.terrace.placement.state;

/**
 * Which part of the reads find a copy in the memory of whichever DataNode has it. Clients of Terrace do; a stock client reads
 * the replica that stock HDFS chooses, so a copy elsewhere is of no use to it. Known from the reads of blocks with a copy: those
 * that other DataNodes served did not find it, and of those that its DataNode served, stock would have sent an equal share there
 * anyway. Older reads count less. Owned by the engine's thread.
 */
public final class Reach {

    /** A copy is looked at once it was there for so long: readers that began before do not count. */
    public static final long SETTLED_MS = 5_000;

    /** Reads that are taken to have found a copy before anything is known. */
    private static final double ASSUMED = 100;
    /** Once so many reads are known, all of them count half. */
    private static final double MOST_READS = 10_000;

    private double found = ASSUMED;
    private double missed;
    /** Of those found, the reads that stock would have sent there. */
    private double byChance;

    private double carried;

    /**
     * Reads of a block with a copy.
     *
     * @param holders DataNodes that stock chooses from, as far as is known, at least 2
     */
    public void heard(long reads, boolean foundCopy, int holders) {
        found += foundCopy ? reads : 0;
        missed += foundCopy ? 0 : reads;
        byChance += (double) reads / holders;
        if (found + missed > MOST_READS) {
            double factor = MOST_READS / 2 / (found + missed);
            found *= factor;
            missed *= factor;
            byChance *= factor;
        }
    }

    /** The part, 0 to 1. */
    public double share() {
        double choosing = found + missed - byChance;
        return choosing <= 0 ? 0 : Math.max(0, Math.min(1, (found - byChance) / choosing));
    }

    /** How likely it is that the next read of a block finds a copy on one of so many holders: by choice, or else by chance. */
    public double expected(int holders) {
        return share() + (1 - share()) / Math.max(1, holders);
    }

    /** Of so many reads that other DataNodes served, those that a copy would serve; what is left of one is carried on. */
    public long of(long reads) {
        double wanted = reads * share() + carried;
        long whole = Math.min(reads, (long) (wanted + 1e-6));
        carried = Math.max(0, Math.min(1, wanted - whole));
        return whole;
    }
}
