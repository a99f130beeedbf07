package io.terrace.bench.simulation.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which faults a seed knows and how often, and how large and how limited its machines are. {@link #usual} is the same for all
 * seeds. {@link #of} draws another mix for each: faults that are left out let others come together that the usual mix hardly
 * ever brings together (Groce and others, Swarm Testing, ISSTA 2012).
 *
 * @param faults how often each fault is drawn, by its number
 * @param leastCapacityBytes of the memory tier of a DataNode, at least
 * @param mostCapacityBytes and less than
 * @param leastLeaseMs of grants, at least
 * @param mostLeaseMs and less than
 * @param movesInFlight of a DataNode
 * @param movesWaiting of a DataNode
 * @param longestPauseMs between two faults, before it is doubled; 0 to draw it
 * @param messages what becomes of messages; null to draw it in the narrow range of the usual mix
 * @param ownPolicy whether the policy and its parameters are drawn from all that there are, not mostly an eager one
 */
public record SeedMix(
        List<Integer> faults,
        long leastCapacityBytes,
        long mostCapacityBytes,
        long leastLeaseMs,
        long mostLeaseMs,
        int movesInFlight,
        int movesWaiting,
        long longestPauseMs,
        @Nullable Messages messages,
        boolean ownPolicy) {
    /** Numbers of faults. */
    public static final int FAULTS = 23;

    /**
     * What becomes of messages between hosts.
     *
     * @param lossPerMille how many are lost
     * @param twicePerMille how many arrive twice
     * @param slowestMs how long one takes at most
     */
    public record Messages(int lossPerMille, int twicePerMille, long slowestMs) {}

    public SeedMix {
        faults = List.copyOf(faults);
    }

    /** Every fault as often as every other. */
    public static SeedMix usual() {
        return new SeedMix(Collections.nCopies(FAULTS, 1), 15_000, 50_000, 300, 2_000, 2, 32, 0, null, false);
    }

    /** The mix of one seed. */
    public static SeedMix of(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ 0x0dd5_0123_4567_89abL);
        Messages messages = new Messages(
                random.nextInt(3) == 0 ? 0 : random.nextInt(1, 400),
                random.nextInt(3) == 0 ? 0 : random.nextInt(1, 400),
                1L << random.nextInt(11));
        SeedMix mix = ofFaultsAndSizes(seed);
        return new SeedMix(
                mix.faults,
                mix.leastCapacityBytes,
                mix.mostCapacityBytes,
                mix.leastLeaseMs,
                mix.mostLeaseMs,
                mix.movesInFlight,
                mix.movesWaiting,
                mix.longestPauseMs,
                messages,
                true);
    }

    /** The same without messages and policy of its own: the mix in which seeds failed before there were these. */
    public static SeedMix ofFaultsAndSizes(long seed) {
        // Not the draws of the run itself.
        SplittableRandom random = new SplittableRandom(seed ^ 0x5eed_0123_4567_89abL);
        List<Integer> faults = new ArrayList<>();
        int kept = 1 + random.nextInt(9);
        for (int i = 0; i < FAULTS; i++) {
            faults.add(random.nextInt(10) < kept ? 1 + random.nextInt(4) : 0);
        }
        if (faults.stream().allMatch(weight -> weight == 0)) {
            faults.set(random.nextInt(FAULTS), 1);
        }
        long capacity = 6_000L << random.nextInt(5);
        long leaseMs = 100L << random.nextInt(5);
        return new SeedMix(
                faults,
                capacity,
                2 * capacity,
                leaseMs,
                2 * leaseMs,
                1 + random.nextInt(4),
                4 << random.nextInt(5),
                50L << random.nextInt(6),
                null,
                false);
    }

    /** Draws the number of a fault. */
    public int fault(RandomGenerator random) {
        int at = random.nextInt(faults.stream().mapToInt(Integer::intValue).sum());
        for (int i = 0; i < FAULTS; i++) {
            at -= faults.get(i);
            if (at < 0) {
                return i;
            }
        }
        throw new IllegalStateException("weights changed while a fault was drawn");
    }
}
