package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.WriteLoad;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.protocol.MoveOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Whether the bytes that DataNodes are told to move are within the budgets, for memory and between volumes. */
final class BudgetChecks {

    private record Sent(long epoch, long moveId) {}

    private static final class Level {
        double bytes;
        long atMs;
    }

    private final Set<Sent> sent = new HashSet<>();
    private final Map<String, Level> promotions = new HashMap<>();
    private final Map<String, Level> volumeMoves = new HashMap<>();

    /** A NameNode answers a heartbeat. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        String node = heartbeat.node();
        String key = node + answer.epoch();
        Level memory = promotions.computeIfAbsent(key, n -> new Level());
        Level volumes = volumeMoves.computeIfAbsent(key, n -> new Level());
        drain(memory, nameNode.nowMs(), SimulatedCluster.MOVE_BYTES_PER_SECOND);
        drain(volumes, nameNode.nowMs(), SimulatedCluster.VOLUME_BYTES_PER_SECOND);
        for (MoveOrder order : answer.orders()) {
            boolean isNew = sent.add(new Sent(answer.epoch(), order.moveId()));
            if (isNew && order.isPromotion()) {
                add(memory, order, SimulatedCluster.MOVE_BYTES_PER_SECOND, nameNode, node);
            } else if (isNew && order.isVolumeMove()) {
                add(volumes, order, SimulatedCluster.VOLUME_BYTES_PER_SECOND, nameNode, node);
            }
        }
    }

    private static void drain(Level level, long nowMs, long rate) {
        level.bytes = Math.max(0, level.bytes - (nowMs - level.atMs) * (rate / 1000.0));
        level.atMs = nowMs;
    }

    private static void add(Level level, MoveOrder order, long rate, SimulatedNameNode nameNode, String node) {
        level.bytes += order.block().lengthBytes();
        // A bucket of one second, and one move that may overdraw it.
        Violation.unless(
                level.bytes <= rate + WriteLoad.LARGEST_BYTES + 1,
                Invariant.BUDGET_KEPT,
                "%s sent %s %.0f bytes above the %d a second it may",
                nameNode.process().name(),
                node,
                level.bytes,
                rate);
    }
}
