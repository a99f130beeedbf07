package io.terrace.placement.explain;

import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a block, by the NameNode and by the service.
 *
 * @param replicas that the NameNode has
 * @param satisfying what {@code satisfy} wants of it and what it waits for; null where nothing says it
 */
public record BlockSituation(
        StampedBlock block,
        Kind kind,
        List<Replica> replicas,
        BlockReport report,
        FileSituation file,
        @Nullable String satisfying) {

    /** What the NameNode says of a block. */
    public enum Kind {
        COMPLETE,
        UNDER_CONSTRUCTION,
        ERASURE_CODED,
        GONE
    }

    /**
     * A replica that the NameNode has.
     *
     * @param node UUID of the DataNode
     * @param tier by HDFS's name, in lower case
     */
    public record Replica(String node, String name, String tier) {}

    public BlockSituation {
        replicas = List.copyOf(replicas);
    }

    /** What the service knows of a DataNode's replica; null if it never heard of the DataNode. */
    @Nullable
    ReplicaReport known(String node) {
        return report.replicas().stream()
                .filter(replica -> replica.node().equals(node))
                .findFirst()
                .orElse(null);
    }

    /** Those that hold a replica and of which the service knows. */
    List<ReplicaReport> holders() {
        return report.replicas().stream()
                .filter(known ->
                        replicas.stream().anyMatch(replica -> replica.node().equals(known.node())))
                .toList();
    }
}
