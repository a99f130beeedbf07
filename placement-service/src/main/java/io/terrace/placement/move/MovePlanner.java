package io.terrace.placement.move;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveRequest;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.policy.api.Explanation;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a policy's requests into moves. Drops that a promotion needs stay with it: they are sent with it, and not at all
 * when it comes to nothing. Owned by the loop's thread.
 */
public final class MovePlanner {

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final RuleEvaluator ruleEvaluator;
    private final MetricRegistry metricRegistry;

    public MovePlanner(ClusterState clusterState, RuleEvaluator ruleEvaluator) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.ruleEvaluator = ruleEvaluator;
        this.metricRegistry = clusterState.metricRegistry();
    }

    /** Looks at all requests of a DataNode's policy. */
    public void plan(long nowMs, DataNodeState node, boolean movesAllowed) {
        plan(nowMs, node, movesAllowed, null);
    }

    /**
     * The same; drops that no promotion of the policy needs make room for {@code beneficiary}.
     *
     * @param movesAllowed false while paused: promotions are not made, what leads to drops waits
     */
    void plan(long nowMs, DataNodeState node, boolean movesAllowed, @Nullable Move beneficiary) {
        List<Move> drops = new ArrayList<>();
        List<MoveRequest> requests = node.requests();
        // Answers to the policy may lead to further requests, so the list grows while it is walked. Each of them
        // corrects one block, which leaves the policy with less to place, so this ends.
        for (int i = 0; i < requests.size(); i++) {
            MoveRequest request = requests.get(i);
            if (request.isPromotion()) {
                promote(nowMs, node, request, drops, movesAllowed);
            } else {
                drop(nowMs, node, request, drops);
            }
        }
        requests.clear();
        for (Move drop : drops) {
            if (beneficiary != null && beneficiary.outcome() == null && !beneficiary.isSent()) {
                drop.makesRoomFor(beneficiary);
            } else {
                node.moveQueue().enqueue(drop, false);
            }
        }
    }

    private void promote(long nowMs, DataNodeState node, MoveRequest request, List<Move> drops, boolean movesAllowed) {
        long id = request.blockId();
        Move open = node.moveQueue().open(id);
        if (open != null) {
            if (open.isPromotion()) {
                open.overtaken(false);
            } else if (open.isSent()) {
                open.overtaken(true);
            } else {
                node.moveQueue().detach(open);
                drops.remove(open);
                moveTracker.end(nowMs, node, open, MoveOutcome.CANCELLED, "wanted in memory again", 0);
                moveTracker.confirm(nowMs, node, open.block(), request.to());
            }
            return;
        }
        Resident resident = node.residents().find(id);
        if (resident != null) {
            moveTracker.confirm(nowMs, node, resident.block, request.to());
            return;
        }
        metricRegistry.increment(Metric.PLACEMENT_PROMOTIONS_WISHED);
        BlockHeat heat = clusterState.heat().find(id);
        boolean heldBack = node.backoffTable().holdsBack(nowMs, id);
        if (heat == null
                || isForbidden(heat)
                || !movesAllowed
                || heldBack
                || node.moveQueue().isFullForPromotions()
                || clusterState.moveSettings().isBudgetUsedUp(node)
                || clusterState.controlTrial().isLeft(nowMs, StorageTier.MEMORY)
                || !clusterState.controlTrial().mayClimb(StorageTier.MEMORY, id)) {
            metricRegistry.increment(Metric.PLACEMENT_MOVES_HELD_BACK);
            StampedBlock block = heat == null ? new StampedBlock(id, 0, request.sizeBytes()) : heat.block();
            moveTracker.correct(nowMs, node, block, request.from());
            for (Move victim : drops) {
                moveTracker.end(
                        nowMs, node, victim, MoveOutcome.CANCELLED, "the promotion it made room for is held back", 0);
                moveTracker.correct(nowMs, node, victim.block(), victim.from());
            }
            drops.clear();
            return;
        }
        Move move = open(nowMs, node, request, heat.block());
        move.causedByReads(heat.reads(), heat.knownForMs(nowMs));
        drops.forEach(drop -> drop.makesRoomFor(move));
        drops.clear();
        node.moveQueue().enqueue(move, false);
    }

    /** Blocks that were read under another policy's rules were not looked up under these. */
    private boolean isForbidden(BlockHeat heat) {
        RuleDecision ruleDecision = ruleEvaluator.known(heat);
        return ruleDecision == null || ruleDecision.forbids();
    }

    private void drop(long nowMs, DataNodeState node, MoveRequest request, List<Move> drops) {
        long id = request.blockId();
        Move open = node.moveQueue().open(id);
        if (open != null) {
            if (!open.isPromotion()) {
                open.overtaken(false);
            } else if (open.isSent()) {
                open.overtaken(true);
            } else {
                moveTracker.withdraw(nowMs, node, open, MoveOutcome.CANCELLED, "no longer wanted in memory", false);
            }
            return;
        }
        Resident resident = node.residents().find(id);
        if (resident == null) {
            node.policy().moved(nowMs, id, request.sizeBytes(), request.to(), node::request);
            return;
        }
        // Never refused: a policy that has no room for a block would ask for another one to leave, without end.
        drops.add(open(nowMs, node, request, resident.block));
    }

    private Move open(long nowMs, DataNodeState node, MoveRequest request, StampedBlock block) {
        Explanation why = node.policy().explain(nowMs, request.blockId());
        String reason = why == null ? "" : why.sentence();
        return moveTracker.open(nowMs, node, request.from(), request.to(), block, Cause.POLICY, reason);
    }
}
