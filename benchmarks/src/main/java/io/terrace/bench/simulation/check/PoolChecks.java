package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.Host;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.SimulatedNamespace;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.service.SeedPolicy;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether orders keep to what each pool may have of the tiers below memory, and whether the service counts that right. */
final class PoolChecks {

    /** More than can be open in all. */
    private static final int MOST_MOVES = 1_000;

    private static final class Progress {
        private long epoch;
        private long lastMove;
        private long ordered;
    }

    private final Map<SimulatedNameNode, Progress> progress = new HashMap<>();

    /**
     * A service has decided on one block, or is at the end of a turn or of a heartbeat: checks the moves that it ordered since
     * the last call.
     */
    void decided(SimulatedNameNode nameNode) {
        Progress before = progress.computeIfAbsent(nameNode, first -> new Progress());
        if (before.ordered == nameNode.volumeMovesOrdered()) {
            return;
        }
        before.ordered = nameNode.volumeMovesOrdered();
        if (before.epoch != nameNode.placement().epoch()) {
            before.epoch = nameNode.placement().epoch();
            before.lastMove = 0;
        }
        Map<String, List<Move>> ordered = new HashMap<>();
        long last = before.lastMove;
        boolean someEnded = false;
        for (Move move : nameNode.placement().reports().volumeMoves(MOST_MOVES)) {
            if (move.outcome() != null) {
                someEnded |= move.endedMs() == nameNode.nowMs();
            } else if (move.id() > before.lastMove) {
                ordered.computeIfAbsent(move.node(), node -> new ArrayList<>()).add(move);
                last = Math.max(last, move.id());
            }
        }
        before.lastMove = last;
        // With moves that ended meanwhile, what was counted at an order cannot be told any more.
        if (!someEnded) {
            for (NodeReport node : nameNode.placement().reports().nodes(nameNode.nowMs())) {
                check(nameNode, node, ordered.getOrDefault(node.uuid(), List.of()));
            }
        }
    }

    /** Takes back one order after the other, the latest first, to see what was counted when each was made. */
    private static void check(SimulatedNameNode nameNode, NodeReport node, List<Move> ordered) {
        SeedPolicy policy = nameNode.simulatedCluster().policy();
        // A pinned file changes what is divided.
        if (ordered.isEmpty()
                || ordered.stream()
                        .anyMatch(move -> isPinned(nameNode, move.block().id()))) {
            return;
        }
        TierUsages usages = new TierUsages(policy.spec(), node.pools());
        ordered.sort(Comparator.comparingLong(Move::id).reversed());
        for (Move move : ordered) {
            Volumes volumes = move.volumes();
            int pool = policy.pool(SimulatedNamespace.path(move.block().id()));
            if (volumes != null) {
                String excess = usages.excess(volumes.to(), pool);
                Violation.unless(
                        excess == null,
                        Invariant.POOLS_KEPT,
                        "%s orders %s on %s, so that %s",
                        nameNode.process().name(),
                        move,
                        node.uuid(),
                        excess);
                usages.take(volumes.to(), pool, -move.block().lengthBytes());
                usages.take(volumes.from(), pool, move.block().lengthBytes());
            }
        }
    }

    private static boolean isPinned(SimulatedNameNode nameNode, long blockId) {
        String range = nameNode.placement()
                .reports()
                .block(nameNode.nowMs(), blockId, 0)
                .range();
        return range != null && range.contains("pinned");
    }

    /** Once all is quiet, and after the service has looked at all blocks. */
    void checkQuiescent(SimulatedNameNode active) {
        SimulatedCluster simulatedCluster = active.simulatedCluster();
        if (!simulatedCluster.policy().hasPools() || simulatedCluster.policy().movesByHand()) {
            return;
        }
        for (NodeReport node : active.placement().reports().nodes(active.nowMs())) {
            Host host = simulatedCluster.host(node.uuid());
            if (simulatedCluster.namespace().all().stream().anyMatch(block -> host.gotAgain(block.id))) {
                continue; // A lost replica may count in the tier that the service moved it to, for up to a minute.
            }
            TierUsages counted = new TierUsages(simulatedCluster.policy().spec(), node.pools());
            TierUsages there = counted.emptied();
            StringBuilder blocks = new StringBuilder();
            for (long id = SimulatedNamespace.FIRST_ID;
                    id <= simulatedCluster.namespace().lastId();
                    id++) {
                add(active, host, id, there, blocks);
            }
            Violation.unless(
                    counted.equals(there),
                    Invariant.POOLS_COUNTED,
                    "%s counts on %s for its pools %s, and there are %s:%s",
                    active.process().name(),
                    node.uuid(),
                    counted,
                    there,
                    blocks);
        }
    }

    private static void add(SimulatedNameNode active, Host host, long blockId, TierUsages there, StringBuilder blocks) {
        var report = active.placement().reports().block(active.nowMs(), blockId, 0);
        SimulatedBlock block = active.simulatedCluster().namespace().find(blockId);
        String range = report.range();
        Replica replica = block == null ? null : host.simulatedVolumes.finalised(blockId, block.stamp);
        if (block == null || replica == null || range == null || range.contains("pinned")) {
            return;
        }
        Volumes moves = null;
        for (ReplicaReport each : report.replicas()) {
            Move open = each.node().equals(host.name) ? each.between() : null;
            moves = open == null ? moves : open.volumes();
        }
        int pool = active.simulatedCluster().policy().pool(SimulatedNamespace.path(blockId));
        var tier = moves == null ? host.simulatedVolumes.tier(replica) : moves.to();
        there.take(tier, pool, block.lengthBytes);
        blocks.append(' ').append(block).append(" in ").append(tier);
    }
}
