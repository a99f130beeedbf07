package io.terrace.placement;

import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A policy that decides beside the one in force and moves nothing: a second engine takes the same heartbeats,
 * and DataNodes that exist in maps alone ({@link ShadowDataNode}) carry out its orders. It begins with what is in
 * memory and with the heat of the blocks read last, as the policy would if it were applied.
 *
 * <p>It takes as much heap as the loop itself and doubles what it asks of the NameNode's maps, so it ends by itself.
 * Whatever goes wrong in it ends it and touches nothing else. Owned by the loop's thread.
 */
public final class ShadowRun {

    /** Longest time that one may take. */
    public static final long MOST_MS = 86_400_000;

    static final int DECISIONS_KEPT = 256;

    private final Map<String, ShadowDataNode> nodes = new HashMap<>();
    private final ArrayDeque<Decision> latest = new ArrayDeque<>();
    private final String policy;
    private final PlacementSettings settings;
    private final long beganMs;
    private final long endsMs;
    private @Nullable PlacementEngine shadowEngine;
    private long endedMs = -1;
    private @Nullable String problem;
    private Totals totals = new Totals(0, 0, 0, 0, 0, 0, 0);

    /** A move that it decided on. */
    public record Decision(long atMs, MoveOrder order, String node) {}

    /** What it came to so far. */
    public record Totals(
            long reads,
            long bytesRead,
            long bytesFromMemory,
            long shadowBytesFromMemory,
            long promotions,
            long promotedBytes,
            long drops) {}

    ShadowRun(long nowMs, long forMs, PlacementEngine shadowEngine, ClusterState real, PlacementSettings settings) {
        this.shadowEngine = shadowEngine;
        this.policy = shadowEngine.policyInForce().spec().policy();
        this.beganMs = nowMs;
        this.endsMs = nowMs + Math.min(MOST_MS, forMs);
        this.settings = settings;
        for (DataNodeState node : real.nodes().values()) {
            introduce(nowMs, node);
        }
    }

    private ShadowDataNode shadow(DataNodeState node) {
        return new ShadowDataNode(node, HeartbeatLimits.ENTRIES, settings.heat().trackedBlocks());
    }

    /** Tells the second engine of a DataNode as it was at its last heartbeat. */
    private void introduce(long nowMs, DataNodeState node) {
        ShadowDataNode shadow = shadow(node);
        nodes.put(node.uuid(), shadow);
        if (shadowEngine != null) {
            shadow.carryOut(shadowEngine.heartbeat(nowMs, shadow.translated(node, node.silence())));
        }
    }

    /** The real DataNode's heartbeat, before the real loop takes it. */
    void heartbeat(long nowMs, DataNodeState node, Heartbeat heartbeat) {
        PlacementEngine loop = shadowEngine;
        if (loop == null || !isRunning(nowMs)) {
            end(nowMs);
            return;
        }
        try {
            ShadowDataNode shadow = nodes.computeIfAbsent(node.uuid(), uuid -> shadow(node));
            heartbeat.heat().forEach(heat -> count(shadow, heat));
            HeartbeatAnswer answer = loop.heartbeat(nowMs, shadow.translated(node, heartbeat));
            answer.orders().forEach(order -> count(nowMs, node, order));
            shadow.carryOut(answer);
        } catch (RuntimeException | LinkageError e) {
            problem = "the policy failed: " + e;
            end(nowMs);
        }
    }

    private void count(ShadowDataNode node, Heat heat) {
        totals = new Totals(
                totals.reads + heat.reads(),
                totals.bytesRead + heat.bytesRead(),
                totals.bytesFromMemory + heat.bytesReadFromMemory(),
                totals.shadowBytesFromMemory + (node.holds(heat.block().id()) ? heat.bytesRead() : 0),
                totals.promotions,
                totals.promotedBytes,
                totals.drops);
    }

    private void count(long nowMs, DataNodeState node, MoveOrder order) {
        boolean up = order.isPromotion();
        totals = new Totals(
                totals.reads,
                totals.bytesRead,
                totals.bytesFromMemory,
                totals.shadowBytesFromMemory,
                totals.promotions + (up ? 1 : 0),
                totals.promotedBytes + (up ? order.block().lengthBytes() : 0),
                totals.drops + (up ? 0 : 1));
        if (latest.size() == DECISIONS_KEPT) {
            latest.removeLast();
        }
        latest.addFirst(new Decision(nowMs, order, node.name()));
    }

    void turn(long nowMs, OperatorState operatorState) {
        PlacementEngine loop = shadowEngine;
        if (loop == null || !isRunning(nowMs)) {
            end(nowMs);
            return;
        }
        try {
            if (!loop.operatorState().equals(operatorState)) {
                loop.operatorState(operatorState);
            }
            loop.turn(nowMs);
        } catch (RuntimeException | LinkageError e) {
            problem = "the policy failed: " + e;
            end(nowMs);
        }
    }

    /** Lets go of all but the result. */
    void end(long nowMs) {
        if (shadowEngine != null) {
            endedMs = Math.min(nowMs, endsMs);
            shadowEngine = null;
        }
    }

    public boolean isRunning(long nowMs) {
        return shadowEngine != null && nowMs < endsMs;
    }

    public String policy() {
        return policy;
    }

    /** How long it has run or ran. */
    public long ranMs(long nowMs) {
        return (endedMs < 0 ? Math.min(nowMs, endsMs) : endedMs) - beganMs;
    }

    public long leftMs(long nowMs) {
        return isRunning(nowMs) ? endsMs - nowMs : 0;
    }

    public Totals totals() {
        return totals;
    }

    /** Sum over the DataNodes of the most that was in each one's memory. */
    public long peakBytes() {
        return nodes.values().stream().mapToLong(ShadowDataNode::peakBytes).sum();
    }

    /** The latest decisions, latest first, at most {@value #DECISIONS_KEPT}. */
    public List<Decision> latest() {
        return List.copyOf(latest);
    }

    /** Why it ended early; null when it did not. */
    public @Nullable String problem() {
        return problem;
    }
}
