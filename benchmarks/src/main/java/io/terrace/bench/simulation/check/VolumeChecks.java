package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedVolumes;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.StorageTier;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Whether the NameNode knows in which tier replicas are. Looks ten times a second. A process that is stopped can tell nothing: the
 * time begins anew when it goes on.
 */
final class VolumeChecks {

    private static final long LOOK_NS = 100_000_000;
    private static final long LONGEST_NS = 1_000_000_000;

    /** What the NameNode believes of a replica, and what is true. */
    private record Wrong(String dataNode, long blockId, long stamp, StorageTier believed, StorageTier tier) {}

    private final Scheduler scheduler;
    private Map<Wrong, Long> wrongSinceNs = new HashMap<>();
    private long nextNs;

    VolumeChecks(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void check(Collection<SimulatedDataNode> dataNodes) {
        if (scheduler.nowNs() < nextNs) {
            return;
        }
        nextNs = scheduler.nowNs() + LOOK_NS;
        Set<Wrong> wrong = new HashSet<>();
        dataNodes.stream()
                .filter(dataNode -> !dataNode.process().isStopped())
                .forEach(dataNode -> compare(dataNode, wrong));
        Map<Wrong, Long> since = new HashMap<>();
        for (Wrong one : wrong) {
            long sinceNs = wrongSinceNs.getOrDefault(one, scheduler.nowNs());
            since.put(one, sinceNs);
            Violation.unless(
                    scheduler.nowNs() - sinceNs <= LONGEST_NS,
                    Invariant.TIER_KNOWN,
                    "the NameNode believes for more than a second what is not so: %s",
                    one);
        }
        wrongSinceNs = since;
    }

    private static void compare(SimulatedDataNode dataNode, Set<Wrong> wrong) {
        String name = dataNode.host().name;
        SimulatedVolumes volumes = dataNode.host().simulatedVolumes;
        volumes.finalised().forEach(replica -> {
            SimulatedBlock block = dataNode.simulatedCluster().namespace().find(replica.blockId);
            StorageTier believed = block == null ? null : block.tierOn(name);
            StorageTier tier = volumes.tier(replica);
            if (block != null && block.stamp == replica.stamp && believed != null && believed != tier) {
                wrong.add(new Wrong(name, replica.blockId, replica.stamp, believed, tier));
            }
        });
    }
}
