package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.Host;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.SimulatedNamespace;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.report.ReplicaReport;
import java.util.List;
import java.util.Objects;

/** Whether replicas that nobody reads came down into the range that a rule gives them, as DataNodes offer them. */
final class OfferChecks {

    /** Other moves that are on their way may take as much. */
    private static final int ROOM = 5;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedNameNode active;

    OfferChecks(SimulatedCluster simulatedCluster, SimulatedNameNode active) {
        this.simulatedCluster = simulatedCluster;
        this.active = active;
    }

    /** Long after the last fault. Where pools divide the tiers, a pool may have no room though the volume has. */
    void checkQuiescent() {
        if (simulatedCluster.policy().hasPools()) {
            return;
        }
        for (SimulatedBlock block : simulatedCluster.unreadBlocks().all()) {
            TierRange range = Objects.requireNonNull(
                    TierRange.of(simulatedCluster.policy().spec().ruleFor(SimulatedNamespace.path(block.id))));
            for (Host host : simulatedCluster.hosts()) {
                check(block, range, host);
            }
        }
    }

    private void check(SimulatedBlock block, TierRange range, Host host) {
        Replica replica = host.simulatedVolumes.finalised(block.id, block.stamp);
        if (replica == null || !block.holders.contains(host.name) || host.simulatedVolumes.isCorrupt(replica)) {
            return;
        }
        StorageTier tier = host.simulatedVolumes.tier(replica);
        Violation.unless(
                !range.isBelow(tier) || !hasRoom(host, range, block) || isKept(block, host),
                Invariant.UNREAD_COMES_IN,
                "%s of %s is on %s still, above the range %s that %s has for it: %s",
                replica,
                host,
                tier,
                range,
                active.process().name(),
                replicas(block));
    }

    private static boolean hasRoom(Host host, TierRange range, SimulatedBlock block) {
        return host.simulatedVolumes.space().entrySet().stream()
                .anyMatch(volume -> range.contains(volume.getKey())
                        && volume.getValue().remainingBytes() >= (long) ROOM * block.lengthBytes);
    }

    /** A move that failed before is not tried at once. */
    private boolean isKept(SimulatedBlock block, Host host) {
        return replicas(block).stream()
                .anyMatch(replica -> replica.node().equals(host.name) && replica.stays() != null);
    }

    private List<ReplicaReport> replicas(SimulatedBlock block) {
        return active.placement().reports().block(active.nowMs(), block.id, 0).replicas();
    }
}
