package io.terrace.placement.move;

import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Promotions and demotions that an operator orders. They obey the budget like others, but go first. A promotion is a
 * {@link HeldPromotion}.
 */
public final class OperatorMoves {

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final HeldPromotion promotion;
    private final @Nullable String stopped;

    /** @param stopped why nothing may move now; null if it may */
    public OperatorMoves(ClusterState clusterState, MovePlanner planner, @Nullable String stopped) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.promotion = new HeldPromotion(clusterState, planner);
        this.stopped = stopped;
    }

    /**
     * Brings a block into memory: on {@code onNode}, or where it has a home, or on the DataNode with the most free room.
     *
     * @param user who wants it
     * @param onNode UUID or null
     * @return the open move; null when {@code refusals} tells why not
     */
    public @Nullable Move promote(
            long nowMs, String user, Located located, @Nullable String onNode, Refusals refusals) {
        DataNodeState node = target(located, onNode);
        StampedBlock block = located.block();
        if (stopped != null) {
            refusals.add(block, stopped);
            return null;
        }
        if (node == null) {
            refusals.add(block, "no DataNode that holds it is live, serves, and has a memory tier that it fits");
            return null;
        }
        if (node.residents().holds(block.id())) {
            refusals.addInMemory(block, node.name());
            return null;
        }
        Move open = node.moveQueue().open(block.id());
        if (open != null || node.moveQueue().isFullForPromotions()) {
            String why = "a move of it is open on " + node.name() + ", or too many are waiting there";
            if (open != null && open.isPromotion()) {
                refusals.addOpen(block, open, why);
            } else {
                refusals.add(block, why);
            }
            return null;
        }
        if (!node.residents().isPinned(block.id()) && HeldPromotion.room(node) < block.lengthBytes()) {
            refusals.add(block, "pins and earlier orders to promote reserve the memory of " + node.name());
            return null;
        }
        return promotion.order(nowMs, node, block, Cause.OPERATOR, "an operator wanted it", user);
    }

    private @Nullable DataNodeState target(Located located, @Nullable String onNode) {
        long needed = located.block().lengthBytes();
        BlockHeat heat = clusterState.heat().find(located.block().id());
        DataNodeState best = null;
        for (String uuid : located.nodes()) {
            DataNodeState node = clusterState.nodes().get(uuid);
            if (node == null || !node.canHold(needed) || (onNode != null && !onNode.equals(uuid))) {
                continue;
            }
            if (node.residents().holds(located.block().id()) || (heat != null && heat.home() == node)) {
                return node;
            }
            if (best == null || node.memory().freeBytes() > best.memory().freeBytes()) {
                best = node;
            }
        }
        return best;
    }

    /** Takes a block out of memory on every DataNode; the policy may promote it on fresh reads. */
    public List<Move> demote(long nowMs, String user, StampedBlock block, Refusals refusals) {
        List<Move> moves = new ArrayList<>();
        for (DataNodeState node : clusterState.nodes().values()) {
            Resident resident = node.residents().find(block.id());
            if (stopped == null && resident != null) {
                HeldBlocks.release(clusterState, nowMs, node, block.id());
            }
            boolean open = node.moveQueue().open(block.id()) != null;
            if (resident == null && !open) {
                continue;
            }
            if (stopped != null) {
                refusals.add(block, stopped);
            } else if (node.residents().isPinned(block.id())) {
                refusals.add(block, "it is pinned on " + node.name());
            } else if (resident == null || open) {
                refusals.add(block, "a move of it is open on " + node.name());
            } else {
                Move move = moveTracker.drop(nowMs, node, resident.block, Cause.OPERATOR, "an operator wanted it");
                move.orderedBy(user);
                moveTracker.correct(nowMs, node, resident.block, move.to());
                node.moveQueue().enqueue(move, true);
                moves.add(move);
            }
        }
        return moves;
    }
}
