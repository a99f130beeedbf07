package io.terrace.placementctl.stats;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.AdminClient.Peer;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the active service and the DataNodes counted until one moment. Counters grow within one process and begin at 0 with
 * it.
 *
 * @param atNs when, by {@link System#nanoTime}
 * @param nameNode which decides
 * @param service counters of the NameNode
 * @param dataNodes counters of each DataNode, by UUID
 */
public record ClusterSample(
        long atNs,
        String nameNode,
        long epoch,
        Map<String, Long> service,
        Map<String, Map<String, Long>> dataNodes,
        long memoryUsedBytes,
        long memoryPinnedBytes) {

    /** Asks the active service now. */
    public static ClusterSample take(AdminClient client) throws Refused, Unreachable {
        TiersResponseProto tiers =
                client.active(service -> service.tiers(null, TiersRequestProto.getDefaultInstance()));
        Peer active = client.active();
        StatusResponseProto status = active == null ? null : active.status();
        return of(System.nanoTime(), status == null ? StatusResponseProto.getDefaultInstance() : status, tiers);
    }

    static ClusterSample of(long atNs, StatusResponseProto status, TiersResponseProto tiers) {
        Map<String, Map<String, Long>> dataNodes = new LinkedHashMap<>();
        long used = 0;
        long pinned = 0;
        for (NodeProto node : tiers.getNodesList()) {
            dataNodes.put(node.getUuid(), figures(node.getFiguresList()));
            pinned += node.getPinnedBytes();
            used += node.getTiersList().stream()
                    .filter(tier -> tier.getTier() == TierProto.MEMORY)
                    .mapToLong(TierStateProto::getUsedBytes)
                    .sum();
        }
        return new ClusterSample(
                atNs,
                status.getNameNode(),
                status.getEpoch(),
                figures(status.getFiguresList()),
                dataNodes,
                used,
                pinned);
    }

    private static Map<String, Long> figures(List<FigureValueProto> all) {
        Map<String, Long> figures = new LinkedHashMap<>();
        all.forEach(figure -> figures.put(figure.getId(), figure.getValue()));
        return figures;
    }

    /** Whether another NameNode decides than did then, or the same one anew. */
    public boolean isAfterFailover(ClusterSample before) {
        return epoch != before.epoch || !nameNode.equals(before.nameNode);
    }
}
