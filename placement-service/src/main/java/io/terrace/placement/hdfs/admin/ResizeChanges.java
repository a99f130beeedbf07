package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Carries out {@code placementctl resize}; whoever calls has checked the caller's rights. */
final class ResizeChanges {

    private final PlacementLoop loop;

    ResizeChanges(PlacementLoop loop) {
        this.loop = loop;
    }

    /** For the audit log. */
    static String named(ChangeRequestProto request) {
        return (request.hasNode() ? request.getNode() : "all") + " to " + request.getCapacityBytes();
    }

    /**
     * Asks DataNodes; what they say comes with their next heartbeats.
     *
     * @param nodes all that report
     */
    ChangeResponseProto resize(ChangeRequestProto request, List<NodeReport> nodes)
            throws TimeoutException, InterruptedException {
        long bytes = request.getCapacityBytes();
        if (!request.hasCapacityBytes() || bytes <= 0) {
            throw new IllegalArgumentException("the size is missing, or not above 0");
        }
        ChangeResponseProto.Builder response = ChangeResponseProto.newBuilder();
        int refused = 0;
        int accepted = 0;
        for (NodeReport node : nodes) {
            Optional<String> refusal =
                    loop.changeInTime(placement -> Optional.ofNullable(placement.resize(node.uuid(), bytes)));
            accepted += refusal.isEmpty() ? 1 : 0;
            refused += refusal.isEmpty() ? 0 : 1;
            refusal.ifPresent(why -> response.addMessages(node.name() + ": " + why));
        }
        return response.setAccepted(accepted).setRefused(refused).build();
    }
}
