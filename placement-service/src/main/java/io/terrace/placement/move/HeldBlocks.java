package io.terrace.placement.move;

import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.placement.state.ResidentBlocks.Resident;

/**
 * The blocks that operators promoted, or rules when they were written: each is kept from the policy until it is in memory
 * and for {@value #HOLD_MS} ms after, so that the policy does not undo at once what was ordered. Then the policy decides on
 * it as on any other. Those that wait for a read stay until {@link FirstReads} releases them. Owned by the loop's
 * thread.
 */
public final class HeldBlocks {

    /** How long such a block stays, unless it is demoted or a rule forbids it. */
    public static final long HOLD_MS = 10 * 60_000;

    /** A result may be here before the report of what is resident. */
    static final long REPORT_MS = 5_000;

    private final ClusterState clusterState;

    public HeldBlocks(ClusterState clusterState) {
        this.clusterState = clusterState;
    }

    /** Releases what DataNodes held for long enough, what has left memory by itself and what a rule forbids there. */
    public void turn(long nowMs, Iterable<DataNodeState> nodes, RuleEvaluator ruleEvaluator) {
        for (DataNodeState node : nodes) {
            for (Held held : node.residents().held()) {
                long sinceMs = held.arrivedMs() < 0 ? 0 : nowMs - held.arrivedMs();
                boolean gone = sinceMs >= REPORT_MS
                        && !node.residents().holds(held.block().id());
                boolean over = sinceMs >= HOLD_MS && !held.by().isAhead();
                if (over || gone || isForbidden(held, ruleEvaluator)) {
                    release(clusterState, nowMs, node, held.block().id());
                }
            }
        }
    }

    private boolean isForbidden(Held held, RuleEvaluator ruleEvaluator) {
        BlockHeat heat = clusterState.heat().find(held.block().id());
        RuleDecision ruleDecision = held.arrivedMs() < 0 || heat == null ? null : ruleEvaluator.known(heat);
        return ruleDecision != null && ruleDecision.forbids();
    }

    /**
     * For how long the policy may not evict a block, at least; 0 if it is not held. One that waits for a read may be
     * held for longer.
     */
    public static long heldForMs(long nowMs, DataNodeState node, long blockId) {
        Held held = node.residents().findHeld(blockId);
        if (held == null) {
            return 0;
        }
        return held.arrivedMs() < 0 || held.by().isAhead()
                ? HOLD_MS
                : Math.max(0, HOLD_MS - (nowMs - held.arrivedMs()));
    }

    /** Leaves the block to the policy, which has its room back. */
    static void release(ClusterState clusterState, long nowMs, DataNodeState node, long blockId) {
        if (node.residents().release(blockId)) {
            node.resizePolicy(nowMs);
            Resident resident = node.residents().find(blockId);
            if (resident != null) {
                clusterState.moveTracker().correct(nowMs, node, resident.block, node.tierOf(blockId));
            }
        }
    }
}
