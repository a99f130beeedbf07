package io.terrace.protocol;

/**
 * What became of one move, for whoever asked for it.
 *
 * @param bytesMoved bytes copied into memory, or those of the copy that was dropped
 */
public record MoveResult(MoveOutcome outcome, long bytesMoved, long tookNs, String message) {

    public static MoveResult of(MoveOutcome outcome, String message) {
        return new MoveResult(outcome, 0, 0, message);
    }
}
