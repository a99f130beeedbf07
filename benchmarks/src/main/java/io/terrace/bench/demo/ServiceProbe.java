package io.terrace.bench.demo;

import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.io.IOException;
import java.util.Map;

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
                    .mapToLong(tier -> tier.getUsedBytes())
                    .sum();
            blocks += node.getResidents();
        }
        Map<String, Long> figures = admin.serviceFigures();
        return new MemoryState(
                used,
                blocks,
                figures.getOrDefault("placement.promoted.bytes", 0L),
                figures.getOrDefault("placement.dropped.bytes", 0L));
    }
}
