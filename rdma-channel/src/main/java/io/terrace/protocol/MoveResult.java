package io.terrace.protocol;

import io.terrace.common.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * What became of one move, for whoever asked for it.
 *
 * @param bytesMoved bytes that were copied, or those of the copy that was dropped
 * @param tier where the replica was afterwards, after a move between volumes; null if that is not known
 */
public record MoveResult(
        MoveOutcome outcome, long bytesMoved, long tookNs, String message, @Nullable StorageTier tier) {

    public MoveResult(MoveOutcome outcome, long bytesMoved, long tookNs, String message) {
        this(outcome, bytesMoved, tookNs, message, null);
    }

    public static MoveResult of(MoveOutcome outcome, String message) {
        return new MoveResult(outcome, 0, 0, message);
    }

    /** The same, with the tier where the replica is. */
    public MoveResult in(StorageTier replicaTier) {
        return new MoveResult(outcome, bytesMoved, tookNs, message, replicaTier);
    }
}
