package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;

/** Files of three replicas on nine DataNodes in two racks, whose links are slow: stock and over the channel, in turns. */
public final class ShapedBenchmark {
    private static final String OFFSET = "100";
    private static final int HEAP_MB = 96;
    private static final long MEMORY_BYTES = 1L << 20;
    private static final int SERVICE_PORT = 8021;

    /** A file of this part of the length is written first, and does not count. */
    private static final int LEARNING_PART = 4;

    private static final String ANY_ADDRESS = "0.0.0.0";
    private static final String PLACEMENT = "org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy";

    private final LocalCluster cluster;
    private final ShapedPlan plan;
    private final FileContent content;
    private final ReplicaComparison comparison;
    private final StoredReplicas replicas;
    private final ResultSheet scores;

    /** By the name of a client and a DataNode: bytes that it got. */
    private final Map<String, Map<String, Long>> stored = new TreeMap<>();

    private ShapedBenchmark(LocalCluster cluster, ShapedPlan plan, long seed, ResultSheet scores) {
        this.cluster = cluster;
        this.plan = plan;
        this.content = new FileContent(seed);
        this.comparison = new ReplicaComparison(cluster, content);
        this.replicas = new StoredReplicas(cluster);
        this.scores = scores;
    }

    /** Whether this process is where it can be run. */
    public static boolean isInside() {
        return ShapedNetwork.isInside();
    }

    /** Runs a command line of {@code bin/terrace} where the benchmark can be run; returns its exit code. */
    public static int enter(List<String> arguments, ShapedPlan plan) throws IOException {
        return ShapedNetwork.enter(arguments, plan.heapBytes());
    }

    /**
     * Measures.
     *
     * @param dir of the cluster
     * @param properties more of every daemon and client
     */
    public static void run(Path dir, ShapedPlan plan, long seed, Map<String, String> properties, ResultSheet scores)
            throws IOException {
        ShapedNetwork.make();
        Path racks = dir.resolveSibling(dir.getFileName() + ".racks");
        Files.write(racks, ShapedNetwork.racks());
        Map<String, String> all = settings(racks);
        all.put("terrace.client.write.retained", Long.toString(plan.retainedBytes()));
        all.putAll(properties);
        ClusterSpec plain = ClusterSpec.of(ShapedLinks.DATANODES, MEMORY_BYTES)
                .withNativeDir(System.getProperty("java.library.path", ""));
        ClusterSpec spec = new ClusterSpec(
                plain.datanodes(),
                MEMORY_BYTES,
                plan.blockBytes(),
                plain.replication(),
                true,
                false,
                plain.nativeDir(),
                HEAP_MB,
                all);
        try {
            scores.section(
                    "Links of set speed, " + plan.fileBytes() / 1e6 + " MB in blocks of " + plan.blockBytes() / 1e6
                            + " MB, three replicas; congestion control " + ShapedNetwork.congestionControl());
            for (ShapedPlan.Case one : plan.cases()) {
                // What is known of speeds holds for minutes.
                try (TemporaryCluster cluster = TemporaryCluster.up(dir, spec, ShapedNetwork::launcher)) {
                    new ShapedBenchmark(cluster.cluster(), plan, seed, scores).run(one);
                }
            }
        } finally {
            Files.delete(racks);
        }
    }

    private static Map<String, String> settings(Path racks) {
        String own = ShapedNetwork.address("${" + LocalCluster.NUMBER_PROPERTY + "}");
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.namenode.servicerpc-address", ShapedNetwork.clientAddress() + ":" + SERVICE_PORT);
        all.put("dfs.namenode.rpc-bind-host", ANY_ADDRESS);
        all.put("dfs.block.replicator.classname", PLACEMENT);
        all.put(
                "terrace.placement.rpc-address",
                ShapedNetwork.clientAddress() + ":${" + LocalCluster.PLACEMENT_PORT_PROPERTY + "}");
        all.put("terrace.placement.rpc-bind-host", ANY_ADDRESS);
        all.put("dfs.datanode.address", own + ":9866");
        all.put("dfs.datanode.http.address", own + ":9864");
        all.put("dfs.datanode.ipc.address", own + ":9867");
        all.put("dfs.datanode.hostname", own);
        all.put("net.topology.node.switch.mapping.impl", "org.apache.hadoop.net.TableMapping");
        all.put("net.topology.table.file.name", racks.toString());
        all.put("terrace.channel.tcp.port.offset", OFFSET);
        // Nothing is copied into memory.
        all.put("terrace.placement.policy", "idecider");
        all.put("terrace.placement.idecider.threshold", "1000000000");
        return all;
    }

    private void run(ShapedPlan.Case one) throws IOException {
        int port = cluster.ports().namenodeRpc();
        // Only where the client seems to be that DataNodes know is a first DataNode drawn.
        ClientVariant others =
                ClientVariant.stock().with(ClientVariant.STOCK, namenode(ShapedNetwork.otherClientAddress(), port));
        ClientVariant remote = ClientVariant.remote()
                .with(ClientVariant.REMOTE, namenode(ShapedNetwork.clientAddress(), port))
                .with(ClientVariant.REMOTE, Map.of("terrace.client.write.enabled", "true"))
                // Clients of other settings share no connections, and these lead to DataNodes of the case before.
                .with(ClientVariant.REMOTE, Map.of("terrace.client.connect.pause", 1_000 + port + "ms"));
        try (Client stock = others.open(cluster.confStock());
                Client ours = remote.open(cluster.confStock());
                PlacementAdmin service = new PlacementAdmin(cluster)) {
            measure(one, stock, ours, service);
        }
    }

    private static Map<String, String> namenode(String address, int port) {
        return Map.of("fs.defaultFS", "hdfs://" + address + ":" + port);
    }

    private void measure(ShapedPlan.Case one, Client stock, Client ours, PlacementAdmin service) throws IOException {
        stored.clear();
        FileWrites writes = new FileWrites(content, stock.fs(), 1, plan.fileBytes(), 1, replicas);
        learn(one, ours, stock);
        long drawn = drawn(service);
        InterleavedRuns runs = new InterleavedRuns(List.of(stock, ours), 0, plan.rounds(), (client, round) -> {
            ShapedNetwork.shape(one.links());
            long channelBytes = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
            long startNs = System.nanoTime();
            writes.write(client, round);
            double seconds = (System.nanoTime() - startNs) / 1e9;
            ShapedNetwork.unshape();
            channelBytes = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - channelBytes;
            if (client == ours && channelBytes < plan.fileBytes()) {
                throw new IOException("only " + channelBytes + " bytes went over the channel");
            }
            compareReplicas(client);
            writes.compareAndRemove(client, round);
            scores.progress(one.id() + " " + client.name() + " " + Math.round(seconds * 10) / 10.0 + " s");
            return seconds;
        });
        String id = plan.id(one);
        scores.note(id + ".stock_s", runs.median(stock.name()), "s");
        scores.note(id + ".terrace_s", runs.median(ours.name()), "s");
        scores.note(id + ".drawn", drawn(service) - drawn, "blocks begin at a DataNode that the NameNode drew");
        scores.atLeast(id, runs.ratios(stock.name(), ours.name()).median(), one.target());
        if (one.equals(ShapedPlan.EQUAL)) {
            scores.below(id + ".fullest", (double) fullest(ours) / fullest(stock), 1.2);
        }
    }

    /** As a client that has written before knows speeds. */
    private void learn(ShapedPlan.Case one, Client ours, Client stock) throws IOException {
        FileWrites writes = new FileWrites(content, stock.fs(), 1, plan.fileBytes() / LEARNING_PART, 1, replicas);
        ShapedNetwork.shape(one.links());
        writes.write(ours, 0);
        ShapedNetwork.unshape();
        writes.compareAndRemove(ours, 0);
    }

    private static long drawn(PlacementAdmin service) throws IOException {
        return service.serviceFigures().getOrDefault(Metric.PLACEMENT_WRITE_FIRST_DRAWN.id(), 0L);
    }

    private void compareReplicas(Client client) throws IOException {
        Map<String, Long> datanodes = stored.computeIfAbsent(client.name(), unused -> new TreeMap<>());
        for (FileStatus file : client.fs().listStatus(new org.apache.hadoop.fs.Path("/bench-write"))) {
            comparison
                    .compare(client.fs(), file.getPath())
                    .forEach((datanode, bytes) -> datanodes.merge(datanode, bytes, Long::sum));
        }
    }

    private long fullest(Client client) {
        return Collections.max(
                stored.getOrDefault(client.name(), Map.of("", 0L)).values());
    }
}
