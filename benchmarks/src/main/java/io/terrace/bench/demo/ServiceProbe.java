package io.terrace.bench.demo;

import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.io.IOException;

/** The memory tiers as the placement service knows them from the DataNodes' heartbeats. */
public final class ServiceProbe implements MemoryState.Probe {
    private final PlacementAdmin admin;

    public ServiceProbe(PlacementAdmin admin) {
        this.admin = admin;
    }

    @Override
    public MemoryState now() throws IOException {
        long used = 0;
        long blocks = 0;
        for (NodeProto node : admin.nodes()) {
            used += node.getTiersList().stream()
                    .filter(tier -> tier.getTier() == TierProto.MEMORY)
                    .mapToLong(tier -> tier.getUsedBytes())
                    .sum();
            blocks += node.getResidents();
        }
        long promoted = admin.serviceFigures().getOrDefault(Metric.PLACEMENT_PROMOTED_BYTES.id(), 0L);
        // A copy that was made and is gone was dropped, on an order or for another reason.
        return new MemoryState(used, blocks, promoted, Math.max(0, promoted - used));
    }
}
