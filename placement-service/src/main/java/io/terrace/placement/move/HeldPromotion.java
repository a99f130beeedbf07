package io.terrace.placement.move;

import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.StampedBlock;

/**
 * A promotion that the policy did not ask for. It makes room at the expense of what the policy finds the least worthy,
 * never of pins, goes before others, and is not the policy's to undo for a while: see {@link HeldBlocks}. Owned by the
 * loop's thread.
 */
final class HeldPromotion {

    private final ClusterState clusterState;
    private final MovePlanner planner;

    HeldPromotion(ClusterState clusterState, MovePlanner planner) {
        this.clusterState = clusterState;
        this.planner = planner;
    }

    /** Bytes that could be held in addition: what neither pins nor held blocks reserve. */
    static long room(DataNodeState node) {
        return node.memory().capacityBytes() - node.residents().reservedBytes();
    }

    /**
     * Orders it; the DataNode has room for it, and no move of it is open there.
     *
     * @param by the user who wants it; empty if nobody does
     */
    Move order(long nowMs, DataNodeState node, StampedBlock block, Cause cause, String reason, String by) {
        clusterState.heat().touch(nowMs, block).home(node);
        planner.plan(nowMs, node, true);
        Move move = clusterState.moveTracker().promote(nowMs, node, block, cause, reason);
        move.orderedBy(by);
        node.moveQueue().enqueue(move, true);
        node.policy().vanished(nowMs, block.id());
        node.residents().hold(block, cause, -1);
        node.resizePolicy(nowMs);
        planner.plan(nowMs, node, true, move);
        return move;
    }
}
