package io.terrace.placement.state;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.HeartbeatAnswer.Kind;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.MoveOutcome;
import java.util.LinkedHashMap;
import java.util.Map;

/** The state that the steps of the loop share. Owned by the loop's thread. */
public final class ClusterState {

    private final MoveSettings moveSettings;
    private final HeatSettings heatSettings;
    private final MetricRegistry metricRegistry;
    private final Map<String, DataNodeState> nodes = new LinkedHashMap<>();
    private final HeatMap heat;
    private final MoveHistory moveHistory = new MoveHistory();
    private long lastMoveId;

    public ClusterState(MoveSettings moveSettings, HeatSettings heatSettings, MetricRegistry metricRegistry) {
        this.moveSettings = moveSettings;
        this.heatSettings = heatSettings;
        this.metricRegistry = metricRegistry;
        this.heat = new HeatMap(heatSettings.trackedBlocks(), heatSettings.halfLifeMs());
    }

    public MoveSettings moveSettings() {
        return moveSettings;
    }

    public HeatSettings heatSettings() {
        return heatSettings;
    }

    public MetricRegistry metricRegistry() {
        return metricRegistry;
    }

    public Map<String, DataNodeState> nodes() {
        return nodes;
    }

    public HeatMap heat() {
        return heat;
    }

    public MoveHistory moveHistory() {
        return moveHistory;
    }

    /** A new open move, booked on its DataNode's agenda. */
    public Move open(long nowMs, DataNodeState node, Kind kind, StampedBlock block, Cause cause, String reason) {
        Move move = new Move(++lastMoveId, kind, block, node.uuid(), cause, reason, nowMs);
        node.moveQueue().book(move);
        return move;
    }

    /** Orders the drop of an unpinned copy that has no open move. */
    public void dropCopy(long nowMs, DataNodeState node, long blockId, Cause cause, String why) {
        DataNodeState.Resident resident = node.residents().get(blockId);
        if (resident == null
                || node.isPinned(blockId)
                || node.moveQueue().open(blockId) != null
                || node.moveQueue().isFullFor(Kind.DROP)) {
            return;
        }
        correct(nowMs, node, resident.block, false);
        node.moveQueue().enqueue(open(nowMs, node, Kind.DROP, resident.block, cause, why), false);
    }

    /** Closes a move and remembers how it ended. */
    public void end(long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String message, long bytes) {
        node.moveQueue().close(move);
        move.end(nowMs, outcome, message, bytes);
        moveHistory.add(move);
        switch (outcome) {
            case DONE -> {
                metricRegistry.increment(
                        move.isPromotion() ? Metric.PLACEMENT_PROMOTIONS_DONE : Metric.PLACEMENT_DROPS_DONE);
                metricRegistry.add(
                        move.isPromotion() ? Metric.PLACEMENT_PROMOTED_BYTES : Metric.PLACEMENT_DROPPED_BYTES, bytes);
                node.backoffTable().succeeded(move.block().id());
            }
            case UNFIT -> metricRegistry.increment(Metric.PLACEMENT_MOVES_UNFIT);
            case CANCELLED, EXPIRED -> metricRegistry.increment(Metric.PLACEMENT_MOVES_WITHDRAWN);
            default -> metricRegistry.increment(Metric.PLACEMENT_MOVES_FAILED);
        }
    }

    /** Tells the policy where a block stands, against what it may have wished. */
    public void correct(long nowMs, DataNodeState node, StampedBlock block, boolean inMemory) {
        if (!node.isPinned(block.id())) {
            node.policy()
                    .moveFailed(
                            nowMs,
                            block.id(),
                            block.lengthBytes(),
                            inMemory ? DataNodeState.MEMORY : DataNodeState.HOME,
                            node::wish);
        }
    }

    /** Tells the policy that a block stands where it was wished, or where nobody wished it. */
    public void confirm(long nowMs, DataNodeState node, StampedBlock block, boolean inMemory) {
        if (!node.isPinned(block.id())) {
            node.policy()
                    .moved(
                            nowMs,
                            block.id(),
                            block.lengthBytes(),
                            inMemory ? DataNodeState.MEMORY : DataNodeState.HOME,
                            node::wish);
        }
    }

    /**
     * Takes back a move that was not sent. What was to make room for it stays.
     *
     * @param vanished the block is no longer what the policy knows
     */
    public void withdraw(
            long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String message, boolean vanished) {
        if (move.isSent()) {
            throw new IllegalStateException("move " + move.id() + " of " + move.block() + " is in flight");
        }
        end(nowMs, node, move, outcome, message, 0);
        if (vanished) {
            node.policy().vanished(nowMs, move.block().id());
        } else {
            correct(nowMs, node, move.block(), !move.isPromotion());
        }
        for (Move victim : move.victims()) {
            end(nowMs, node, victim, MoveOutcome.CANCELLED, "the promotion it made room for was withdrawn", 0);
            correct(nowMs, node, victim.block(), true);
        }
        move.victims().clear();
    }
}
