package io.terrace.placement.hdfs.admin;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.explain.MoveReason;
import io.terrace.placement.hdfs.admin.AdminCodec.Reader;
import io.terrace.placement.hdfs.health.HealthChecks;
import io.terrace.placement.hdfs.health.PolicyHealthChecks;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.report.PlacementReports.Activity;
import io.terrace.placement.state.Move;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** Takes {@link ClusterSnapshot}s, and samples for the page's curves, without the namesystem's lock. Thread-safe. */
public final class ClusterSnapshots {

    private static final int MOVES_SHOWN = 50;

    private final PlacementAdminPB admin;
    private final PlacementLoop loop;
    private final FSNamesystem namesystem;
    private final Configuration conf;
    private final NamesystemLookup lookup;
    private final OperatorStateStore store;
    private final PolicyStore policies;
    private final MetricRegistry metricRegistry;

    /** The DataNodes' metrics that snapshots have: a DataNode sends a hundred more. */
    public static final Set<Metric> FIGURES = Set.of(
            Metric.READS_STOCK_MEMORY,
            Metric.READS_STOCK_MEMORY_BYTES,
            Metric.READS_GRANTED,
            Metric.READS_GRANTED_BYTES,
            Metric.READS_GRANTED_NVM,
            Metric.READS_GRANTED_NVM_BYTES,
            Metric.READS_STOCK_REPLICA,
            Metric.READS_STOCK_REPLICA_BYTES);

    /** What the loop is asked for, at one moment. */
    private record Asked(List<NodeReport> nodes, List<Move> inFlight, List<Move> ended, List<FindingProto> findings) {}

    public ClusterSnapshots(
            PlacementAdminPB admin,
            PlacementLoop loop,
            FSNamesystem namesystem,
            NamesystemView view,
            Configuration conf,
            OperatorStateStore store,
            PolicyStore policies,
            MetricRegistry metricRegistry) {
        this.admin = admin;
        this.loop = loop;
        this.namesystem = namesystem;
        this.conf = conf;
        this.lookup = new NamesystemLookup(namesystem, view);
        this.store = store;
        this.policies = policies;
        this.metricRegistry = metricRegistry;
    }

    /** Now. */
    public ClusterSnapshot take() throws IOException, TimeoutException, InterruptedException {
        StatusResponseProto status = WebQuestions.as(
                UserGroupInformation.getLoginUser(), () -> admin.status(null, StatusRequestProto.getDefaultInstance()));
        Asked asked = loop.ask(this::ask);
        long nowMs = loop.nowMs();
        // The pages are for anybody, so no other block is named.
        Reader reader = new Reader(
                nowMs, asked.nodes.stream().collect(Collectors.toMap(NodeReport::uuid, NodeReport::name)), false);
        HealthChecks healthChecks = new HealthChecks(namesystem, conf, lookup);
        List<FindingProto> findings = new ArrayList<>();
        List<String> withoutPlugin = List.of();
        if (status.getActive()) {
            findings.addAll(healthChecks.findWithoutLock(asked.nodes));
            withoutPlugin = healthChecks.withoutPlugin(asked.nodes);
        }
        findings.addAll(asked.findings);
        return new ClusterSnapshot(
                status,
                asked.nodes.stream().map(ClusterSnapshots::node).toList(),
                withoutPlugin,
                asked.inFlight.stream().map(move -> listed(move, reader)).toList(),
                asked.ended.stream().map(move -> listed(move, reader)).toList(),
                List.copyOf(findings));
    }

    /** The tiers, reads and moves of the DataNodes alone, which costs the loop little; null while this NameNode is a standby. */
    public @Nullable List<NodeProto> sample() throws TimeoutException, InterruptedException {
        return loop.freshStatus().active()
                ? loop.ask(placement -> placement.reports().activity()).stream()
                        .map(ClusterSnapshots::sampled)
                        .toList()
                : null;
    }

    private static NodeProto sampled(Activity node) {
        NodeProto.Builder proto = NodeProto.newBuilder().setUuid(node.uuid()).setMovesInFlight(node.movesInFlight());
        node.tiers().forEach(tier -> proto.addTiers(HeartbeatCodec.tier(tier)));
        addFigures(proto, node.figures());
        return proto.buildPartial();
    }

    /** With the reason in the words of {@code explain}. */
    private static MoveProto listed(Move move, Reader reader) {
        return AdminCodec.listed(move, reader).toBuilder()
                .setReason(MoveReason.of(move, block -> "another block"))
                .build();
    }

    private static NodeProto node(NodeReport node) {
        NodeProto.Builder proto = AdminCodec.summary(node);
        addFigures(proto, node.figures());
        return proto.build();
    }

    private static void addFigures(NodeProto.Builder proto, Map<String, Long> figures) {
        for (Metric metric : FIGURES) {
            Long value = figures.get(metric.id());
            if (value != null) {
                proto.addFigures(AdminCodec.figure(metric.id(), value));
            }
        }
    }

    private Asked ask(PlacementEngine placement) {
        return new Asked(
                placement.reports().nodes(loop.nowMs()),
                placement.reports().movesInFlight(MOVES_SHOWN),
                placement.reports().latestMoves(MOVES_SHOWN),
                PolicyHealthChecks.find(placement, store, policies, metricRegistry));
    }
}
