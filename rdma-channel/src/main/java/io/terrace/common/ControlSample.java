package io.terrace.common;

/**
 * Which blocks take part in the comparison that shows what tiers are worth: a share of all blocks, by a hash of their id, is the
 * control sample, which never climbs by heat. As many others, which climb as all do, are compared with it.
 *
 * <p>Who belongs to what is the same in all processes and after restarts, and a larger share contains a smaller one.
 *
 * @param percent of blocks that are in the control sample, and again in the other one; 0 turns it off
 */
public record ControlSample(int percent) {

    /** More would cost more than it tells. */
    public static final int MOST_PERCENT = 10;

    /** No block is in it. */
    public static final ControlSample NONE = new ControlSample(0);

    /**
     * Of the seeds that are as good as this one, it is one by which the first 300 blocks of a new namespace are not among the
     * first percent: who tries a few files finds that all of them climb.
     */
    private static final long SEED = 0xdf82012d0555c6dfL;

    /** What part a block has in the comparison. */
    public enum Arm {
        /** None, as nearly all. */
        NEITHER,
        /** It never climbs by heat. */
        CONTROL,
        /** It climbs as others do, and its reads are compared with those of the control sample. */
        TREATED
    }

    public ControlSample {
        if (percent < 0 || percent > MOST_PERCENT) {
            throw new IllegalArgumentException(
                    "the control sample is " + percent + " % of blocks; it may be 0 to " + MOST_PERCENT);
        }
    }

    /** The part that a block has. */
    public Arm arm(long blockId) {
        if (percent == 0) {
            return Arm.NEITHER;
        }
        // The control sample grows from the lowest hashes upwards, the other one from the highest downwards.
        double at = (mix(blockId ^ SEED) >>> 11) * 0x1p-53 * 100;
        return at < percent ? Arm.CONTROL : at >= 100 - percent ? Arm.TREATED : Arm.NEITHER;
    }

    /** The finalizer of SplitMix64 (Steele, Lea, Flood, 2014). */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
