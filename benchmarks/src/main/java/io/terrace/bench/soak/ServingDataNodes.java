package io.terrace.bench.soak;

import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Waits;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether each DataNode serves through Terrace since it was started, by the word of the placement service. One whose tier does
 * not come back after a kill is a stock DataNode, and HDFS lacks nothing.
 */
final class ServingDataNodes {
    private static final int SECONDS = 60;

    private final SoakCluster soak;

    ServingDataNodes(SoakCluster soak) {
        this.soak = soak;
    }

    /** What is still missing after a minute; empty if nothing is. */
    Optional<String> await() throws IOException {
        return Waits.untilRight(SECONDS, () -> {
            try (PlacementAdmin admin = new PlacementAdmin(soak.cluster())) {
                return missing(admin.nodes());
            }
        });
    }

    private Optional<String> missing(List<NodeProto> nodes) throws IOException {
        for (int i = 1; i <= SoakCluster.DATANODES; i++) {
            Optional<ProcessHandle> process = soak.cluster().datanode(i).process();
            if (process.isEmpty()) {
                return Optional.of("DataNode " + i + " is not there");
            }
            Instant started = process.get().info().startInstant().orElse(Instant.EPOCH);
            Optional<String> missing = missing(
                    nodes,
                    soak.cluster().transferPort(i),
                    Duration.between(started, Instant.now()).toMillis());
            if (missing.isPresent()) {
                return Optional.of("DataNode " + i + " " + missing.get());
            }
        }
        return Optional.empty();
    }

    /**
     * What is missing of one DataNode.
     *
     * @param nodes what the placement service knows
     * @param port of its transfers
     * @param ageMs of its process
     */
    static Optional<String> missing(List<NodeProto> nodes, int port, long ageMs) {
        Optional<NodeProto> found = nodes.stream()
                .filter(node -> node.getName().endsWith(":" + port))
                .findFirst();
        if (found.isEmpty()) {
            return Optional.of("is not known to the placement service");
        }
        NodeProto node = found.get();
        if (!node.getLive()) {
            return Optional.of("is not live: silent for " + node.getSilentMs() + " ms");
        }
        if (node.getUpMs() > ageMs) {
            return Optional.of("has not reported since it was started");
        }
        return node.getServing() ? Optional.empty() : Optional.of("does not serve");
    }
}
