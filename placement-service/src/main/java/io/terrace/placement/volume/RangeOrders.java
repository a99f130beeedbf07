package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.volume.KnownReplicas.Known;

/** Orders moves that keep replicas in the range of their rule, and keeps account of what they will take. Owned by the engine's thread. */
final class RangeOrders {

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;
    private final TierPools pools;
    private boolean overflowed;

    RangeOrders(ClusterState clusterState, KnownReplicas known, TierSpace space, TierPools pools) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
        this.pools = pools;
    }

    /**
     * @param why follows what the rule says
     * @return whether there was room for one more move that waits
     */
    boolean order(
            long nowMs, DataNodeState node, Known block, StorageTier from, StorageTier to, Cause cause, String why) {
        if (node.volumeMoves().isFull()) {
            overflowed = true;
            return false;
        }
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_MOVES_WISHED);
        String reason = TierKeeper.sentence(block.rule()) + why;
        Move move = clusterState
                .moveTracker()
                .between(nowMs, node, new Volumes(from, to, true), block.block(), cause, reason);
        if (block.lookedMs() == nowMs && block.obstacle(node.uuid()) == null) {
            move.examined(nowMs);
        }
        space.take(nowMs, node, new Volumes(from, to), block.block().lengthBytes());
        known.movesChanged(node.uuid(), block.block().id());
        pools.unclaim(node, block.block().id());
        return true;
    }

    /** Whether too many moves waited since {@link #clearOverflowed}, so that some blocks are to be looked at again. */
    boolean hasOverflowed() {
        return overflowed;
    }

    void clearOverflowed() {
        overflowed = false;
    }
}
