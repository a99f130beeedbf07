package io.terrace.placement.control;

import io.terrace.common.Quantity;
import io.terrace.common.StorageTier;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a tier is worth: reads of blocks that climbed there against those of the control sample that the same heat asked for.
 *
 * @param timesAsFast reads of those that climbed; null where it cannot be told
 * @param leftForMs for which nothing climbs there any more by heat; 0 if it may
 */
public record Benefit(
        StorageTier tier, Side control, Side treated, @Nullable Estimate timesAsFast, Verdict verdict, long leftForMs) {

    /** Fewer reads that were timed say nothing. */
    public static final int LEAST_READS = 50;

    /** How many reads, at least, must have been timed, of all. */
    private static final double LEAST_TIMED = 0.5;

    /**
     * Blocks of one arm.
     *
     * @param readNs time of a read
     */
    public record Side(int blocks, long reads, long timedReads, @Nullable Estimate readNs) {

        static Side of(ComparedBlocks.Known known) {
            return new Side(
                    known.blocks(), Math.round(known.reads()), Math.round(known.timedReads()), known.estimate());
        }

        private boolean isTimed() {
            return timedReads >= LEAST_TIMED * reads;
        }
    }

    /** What the reads say. */
    public enum Verdict {
        FASTER,
        SLOWER,
        NO_DIFFERENCE,
        TOO_FEW_READS,
        /** Most reads are of clients that read by themselves, through grants or passed descriptors. */
        NOT_TIMED
    }

    static Benefit of(StorageTier tier, ComparedBlocks controls, ComparedBlocks treated) {
        ComparedBlocks.Known stayed = controls.of(tier);
        ComparedBlocks.Known climbed = treated.of(tier);
        Side control = Side.of(stayed);
        Side other = Side.of(climbed);
        Estimate times = Estimate.quotient(stayed.readNs(), climbed.readNs());
        Verdict verdict;
        if (Math.min(control.reads, other.reads) >= LEAST_READS && !(control.isTimed() && other.isTimed())) {
            verdict = Verdict.NOT_TIMED;
        } else if (times == null || Math.min(control.timedReads, other.timedReads) < LEAST_READS) {
            verdict = Verdict.TOO_FEW_READS;
        } else {
            verdict = times.low() > 1 ? Verdict.FASTER : times.high() < 1 ? Verdict.SLOWER : Verdict.NO_DIFFERENCE;
        }
        boolean tells = verdict != Verdict.NOT_TIMED && verdict != Verdict.TOO_FEW_READS;
        return new Benefit(tier, control, other, tells ? times : null, verdict, 0);
    }

    /** The same of a tier that was left for it. */
    Benefit left(long forMs) {
        return new Benefit(tier, control, treated, timesAsFast, verdict, forMs);
    }

    /** For people. */
    public String text() {
        String name = tier.name().toLowerCase(Locale.ROOT);
        String left = leftForMs > 0
                ? "; nothing climbs there by heat for another " + Quantity.millis(leftForMs)
                        + ", then it is tried again"
                : "";
        return name + ": " + said() + left;
    }

    private String said() {
        Estimate times = timesAsFast;
        return switch (verdict) {
            case FASTER, SLOWER -> String.format(
                    Locale.ROOT,
                    "reads of blocks that climbed are %.3g (%.3g to %.3g) times as fast as of blocks that stayed",
                    times == null ? Double.NaN : times.mean(),
                    times == null ? Double.NaN : times.low(),
                    times == null ? Double.NaN : times.high());
            case NO_DIFFERENCE -> String.format(
                    Locale.ROOT,
                    "no difference is seen: %.3g (%.3g to %.3g) times as fast",
                    times == null ? Double.NaN : times.mean(),
                    times == null ? Double.NaN : times.low(),
                    times == null ? Double.NaN : times.high());
            case TOO_FEW_READS -> "too few reads to tell";
            case NOT_TIMED -> "most reads are not timed, as clients read by themselves: too few others to tell";
        };
    }
}
