package io.terrace.placement.hdfs;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.write.FirstNodeDraw;
import io.terrace.placement.write.FirstNodeDraw.Drawn;
import io.terrace.placement.write.SparedNodes;
import io.terrace.placement.write.WriteSpeeds;
import io.terrace.protocol.proto.DataNodeProtos.WriteSpeedProto;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the first DataNode of new blocks, where the NameNode is configured with {@link TerraceBlockPlacementPolicy}, by what
 * DataNodes tell of the speed of their clients. Thread-safe.
 */
public final class FirstNodes implements TerraceBlockPlacementPolicy.FirstNode, AutoCloseable {
    /** Of one heartbeat. */
    private static final int MOST_SPEEDS = 256;

    /** Until a DataNode is found that is not slow. */
    private static final int TRIES = 4;

    private final BlockManager blocks;
    private final MetricRegistry metricRegistry;
    private final WriteSpeeds speeds;
    private final SparedNodes spared = new SparedNodes(System::nanoTime);
    private final FirstNodeDraw draw;
    private volatile boolean closed;

    /** @param speeds takes what DataNodes tell */
    public FirstNodes(BlockManager blocks, WriteSpeeds speeds, MetricRegistry metricRegistry) {
        this.speeds = speeds;
        this.draw =
                new FirstNodeDraw(speeds, bound -> ThreadLocalRandom.current().nextInt(bound));
        this.blocks = blocks;
        this.metricRegistry = metricRegistry;
        metricRegistry.gauge(Metric.PLACEMENT_WRITE_HOSTS, speeds::hosts);
        attach();
    }

    /** The NameNode makes another policy object when it is reconfigured. */
    private void attach() {
        TerraceBlockPlacementPolicy policy = policy();
        if (policy != null && !closed && !policy.isServedBy(this)) {
            policy.serve(this);
        }
    }

    private @Nullable TerraceBlockPlacementPolicy policy() {
        return blocks.getBlockPlacementPolicy() instanceof TerraceBlockPlacementPolicy ours ? ours : null;
    }

    /** A DataNode tells how fast clients write to it. */
    void told(DatanodeID node, List<WriteSpeedProto> told) {
        if (told.isEmpty()) {
            return;
        }
        attach();
        metricRegistry.add(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT, Math.max(0, told.size() - MOST_SPEEDS));
        // Once: it takes the lock of all DataNodes.
        DatanodeDescriptor known = blocks.getDatanodeManager().getDatanode(node.getDatanodeUuid());
        for (WriteSpeedProto speed : told.subList(0, Math.min(MOST_SPEEDS, told.size()))) {
            String host = speed.getClient().isEmpty() ? node.getIpAddr() : speed.getClient();
            if (!WriteSpeeds.isPossible(host, speed.getBytesPerSecond())) {
                metricRegistry.increment(Metric.PLACEMENT_WRITE_SPEEDS_REFUSED);
                continue;
            }
            if (!speed.getForwarded()) {
                boolean unused = speeds.told(node.getDatanodeUuid(), host, speed.getBytesPerSecond());
            }
            if (known != null) {
                spared.told(
                        node.getDatanodeUuid(),
                        known.getNetworkLocation(),
                        host,
                        speed.getForwarded(),
                        speed.getBytesPerSecond());
            }
        }
        spared.compare();
    }

    /** Drawn for each block anew, so that a slow DataNode gets as many blocks as it can take. */
    @Override
    public Set<Node> spare(Node writer, Node first, Set<Node> excluded, int replicas, NetworkTopology topology) {
        Set<Node> nodes = new HashSet<>();
        if (speeds.of(host(writer)).isEmpty()) {
            return nodes;
        }
        for (SparedNodes.Slow slow : spared.slow()) {
            if (ThreadLocalRandom.current().nextInt(100) >= slow.percent()) {
                DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(slow.node());
                if (node != null && !node.equals(first) && !excluded.contains(node)) {
                    nodes.add(node);
                }
            }
        }
        boolean enough = topology.getNumOfLeaves() - excluded.size() - nodes.size() >= replicas;
        return enough ? nodes : Set.of();
    }

    @Override
    public void spared() {
        metricRegistry.increment(Metric.PLACEMENT_WRITE_SPARED);
    }

    @Override
    public Node choose(Node writer, Set<Node> excluded, int replicas, NetworkTopology topology) {
        DatanodeDescriptor own = writer instanceof DatanodeDescriptor node ? node : null;
        String host = host(writer);
        if (speeds.of(host).isEmpty()) {
            return writer;
        }
        Predicate<String> usable = usable(excluded);
        int most = topology.getNumOfLeaves() / Math.max(1, replicas);
        Drawn drawn = draw.draw(host, own == null ? null : own.getDatanodeUuid(), most, usable);
        Node first =
                switch (drawn.kind()) {
                    case STOCK -> null;
                    case DRAWN -> blocks.getDatanodeManager().getDatanode(drawn.node());
                    case ANY -> any(host, excluded, usable, topology);
                };
        if (first == null || !topology.contains(first)) {
            return writer;
        }
        metricRegistry.increment(
                drawn.kind() == FirstNodeDraw.Kind.DRAWN
                        ? Metric.PLACEMENT_WRITE_FIRST_DRAWN
                        : Metric.PLACEMENT_WRITE_FIRST_TRIED);
        return first;
    }

    private static String host(Node writer) {
        return writer instanceof DatanodeDescriptor own ? own.getIpAddr() : writer.getName();
    }

    private static Predicate<String> usable(Set<Node> excluded) {
        if (excluded == null || excluded.isEmpty()) {
            return node -> true;
        }
        Set<String> not = new HashSet<>();
        for (Node node : excluded) {
            if (node instanceof DatanodeID datanode) {
                not.add(datanode.getDatanodeUuid());
            }
        }
        return node -> !not.contains(node);
    }

    private @Nullable Node any(String host, Set<Node> excluded, Predicate<String> usable, NetworkTopology topology) {
        for (int i = 0; i < TRIES; i++) {
            Node node = topology.chooseRandom(NodeBase.ROOT, excluded);
            if (node instanceof DatanodeDescriptor datanode && !draw.isSlow(host, datanode.getDatanodeUuid(), usable)) {
                return datanode;
            }
        }
        return null;
    }

    @Override
    public void close() {
        closed = true;
        TerraceBlockPlacementPolicy policy = policy();
        if (policy != null && policy.isServedBy(this)) {
            policy.serve(null);
        }
    }
}
