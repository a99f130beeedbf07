package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.SimulatedNamespace;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolUsage;
import io.terrace.policy.api.TierHierarchy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether each DataNode's policy counts what is in its memory: a policy that counts too much leaves room empty for good. */
final class PolicyRoomChecks {

    private static final int MEMORY = 0;

    /** While a check asks: the policies in the order in which they were. */
    private @Nullable List<WatchedPolicy> asked;

    private final class WatchedPolicy extends ForwardingPolicy {

        private long capacityBytes;

        WatchedPolicy(PlacementPolicy policy, long capacityBytes) {
            super(policy);
            this.capacityBytes = capacityBytes;
        }

        @Override
        public void resize(long nowMs, int tier, long newCapacityBytes, MoveRequests moveRequests) {
            if (tier == MEMORY) {
                capacityBytes = newCapacityBytes;
            }
            super.resize(nowMs, tier, newCapacityBytes, moveRequests);
        }

        @Override
        public @Nullable Explanation explain(long nowMs, long object) {
            List<WatchedPolicy> order = asked;
            if (order != null) {
                order.add(this);
            }
            return super.explain(nowMs, object);
        }

        /** Bytes that it counts as used, or {@link #UNKNOWN}. */
        private long usedBytes(String memory) {
            List<PoolUsage> pools = pools();
            if (!pools.isEmpty()) {
                return pools.stream()
                        .filter(usage -> usage.tier().equals(memory))
                        .mapToLong(PoolUsage::usedBytes)
                        .sum();
            }
            long freeBytes = freeBytes(MEMORY, 0);
            // Nothing is free also where it counts more than there is room.
            return freeBytes == UNKNOWN || freeBytes == 0 ? UNKNOWN : capacityBytes - freeBytes;
        }
    }

    /** Watches the policies that a service makes, one for each DataNode. */
    PolicyFactory watch(PolicyFactory maker) {
        return (spec, tiers) -> new WatchedPolicy(maker.make(spec, tiers), capacityBytes(tiers));
    }

    private static long capacityBytes(TierHierarchy tiers) {
        return tiers.tier(MEMORY).capacityBytes();
    }

    /** Once all is quiet. */
    void checkQuiescent(SimulatedNameNode active) {
        long nowMs = active.nowMs();
        Map<String, List<SimulatedBlock>> residents = new HashMap<>();
        for (SimulatedBlock block : active.simulatedCluster().namespace().all()) {
            for (ReplicaReport replica :
                    active.placement().reports().block(nowMs, block.id, 0).replicas()) {
                if (replica.inMemory() && !replica.pinned()) {
                    residents
                            .computeIfAbsent(replica.node(), first -> new ArrayList<>())
                            .add(block);
                }
            }
        }
        // A report of a block asks the policies of all DataNodes, in the order in which they are reported themselves.
        List<WatchedPolicy> policies = new ArrayList<>();
        asked = policies;
        active.placement().reports().block(nowMs, SimulatedNamespace.FIRST_ID, 0);
        asked = null;
        List<NodeReport> nodes = active.placement().reports().nodes(nowMs);
        for (int i = 0; i < nodes.size(); i++) {
            NodeReport node = nodes.get(i);
            long usedBytes = policies.get(i).usedBytes("memory");
            List<SimulatedBlock> unpinned = residents.getOrDefault(node.uuid(), List.of());
            long there = unpinned.stream().mapToLong(block -> block.lengthBytes).sum();
            Violation.unless(
                    !node.live() || usedBytes == PlacementPolicy.UNKNOWN || usedBytes == there,
                    Invariant.ROOM_COUNTED,
                    "%s's policy for %s counts %d bytes, and %d are there that are not pinned: %s",
                    active.process().name(),
                    node.uuid(),
                    usedBytes,
                    there,
                    unpinned);
        }
    }
}
