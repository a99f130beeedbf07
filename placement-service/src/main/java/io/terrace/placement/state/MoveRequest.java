package io.terrace.placement.state;

/** A policy's request to move a block between two tiers of its DataNode, named by their index in the {@link TierLayout}. */
public record MoveRequest(long blockId, long sizeBytes, int from, int to) {

    /** Whether it goes to a faster tier. */
    public boolean isPromotion() {
        return to < from;
    }
}
