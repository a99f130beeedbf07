package io.terrace.placement.volume;

import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why replicas of a block may not be moved at all.
 *
 * @param ofBlock why none of them; null if some may
 * @param byNode those of other DataNodes may
 */
record Obstacles(@Nullable String ofBlock, Map<String, String> byNode) {

    /** One object for all blocks of which every replica may be moved. */
    static final Obstacles NONE = new Obstacles(null, Map.of());

    static Obstacles of(Placed placed) {
        Map<String, String> byNode = new HashMap<>();
        for (PlacedReplica replica : placed.replicas()) {
            if (replica.obstacle() != null) {
                byNode.put(replica.node(), replica.obstacle());
            }
        }
        return placed.obstacle() == null && byNode.isEmpty()
                ? NONE
                : new Obstacles(placed.obstacle(), Map.copyOf(byNode));
    }

    /**
     * Why the replica on a DataNode may not be moved; null if it may.
     *
     * @param isKnown whether a replica is known there: what keeps the block keeps no other
     */
    @Nullable
    String on(String node, boolean isKnown) {
        return isKnown && ofBlock != null ? ofBlock : byNode.get(node);
    }
}
