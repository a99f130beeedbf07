package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.state.HomeSelector.Standing;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether homes are chosen by what room costs now: by what would leave each memory for the block. */
final class PriceChecks {

    /** A price is of what would have left so long ago, at most. */
    private static final long PRICE_MS = 250;

    /** The price is looked at with one of so many heartbeats. */
    private static final long EVERY = 4;

    private final Map<SimulatedNameNode, List<WatchedPolicy>> policies = new HashMap<>();

    private static final class WatchedPolicy extends ForwardingPolicy {

        private final SimulatedNameNode nameNode;
        private long askedMs = Long.MIN_VALUE;

        WatchedPolicy(SimulatedNameNode nameNode, PlacementPolicy policy) {
            super(policy);
            this.nameNode = nameNode;
        }

        @Override
        public long nextToLeave(int tier, int pool) {
            askedMs = nameNode.nowMs();
            return super.nextToLeave(tier, pool);
        }

        private boolean isAsked() {
            return askedMs != Long.MIN_VALUE && nameNode.nowMs() - askedMs < PRICE_MS;
        }
    }

    /** Watches the policies that a service makes, one for each DataNode. */
    PolicyFactory watch(SimulatedNameNode nameNode, PolicyFactory maker) {
        List<WatchedPolicy> made = policies.computeIfAbsent(nameNode, first -> new ArrayList<>());
        return (spec, tiers) -> {
            WatchedPolicy policy = new WatchedPolicy(nameNode, maker.make(spec, tiers));
            made.add(policy);
            return policy;
        };
    }

    /** A service took a heartbeat. Asks of a block what {@code explain} asks: its price wherever it would take the room of others. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat) {
        if (!nameNode.placement().isActive()
                || heartbeat.sequence() % EVERY != 0
                || heartbeat.heat().isEmpty()) {
            return;
        }
        long blockId = heartbeat.heat().get(0).block().id();
        long contested = nameNode.placement().reports().block(nameNode.nowMs(), blockId, 0).replicas().stream()
                .filter(replica -> costs(replica.standing()))
                .count();
        long asked = policies.getOrDefault(nameNode, List.of()).stream()
                .filter(WatchedPolicy::isAsked)
                .count();
        Violation.unless(
                asked >= contested,
                Invariant.PRICE_KNOWN,
                "%s has a price for room on %d DataNodes, and asked the policies of %d lately what would leave",
                nameNode.process().name(),
                contested,
                asked);
    }

    private static boolean costs(@Nullable Standing standing) {
        return standing != null && standing.price() > 0;
    }
}
