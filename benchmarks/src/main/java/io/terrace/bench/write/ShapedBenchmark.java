package io.terrace.bench.write;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
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
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** Files of three replicas on nine DataNodes in two racks, whose links are slow: stock and over the channel, in turns. */
public final class ShapedBenchmark {
    private static final String OFFSET = "100";
    private static final int HEAP_MB = 96;
    private static final long MEMORY_BYTES = 1L << 20;
    private static final int SERVICE_PORT = 8021;

    private final ShapedPlan plan;
    private final FileContent content;
    private final ResultSheet scores;

    /** By the name of a client and a host: bytes that the host got. */
    private final Map<String, Map<String, Long>> stored = new TreeMap<>();

    private ShapedBenchmark(ShapedPlan plan, long seed, ResultSheet scores) {
        this.plan = plan;
        this.content = new FileContent(seed);
        this.scores = scores;
    }

    /** Whether this process is where it can be run. */
    public static boolean isInside() {
        return ShapedNetwork.isInside();
    }

    /** Runs a command line of {@code bin/terrace} where the benchmark can be run; returns its exit code. */
    public static int enter(List<String> arguments) throws IOException {
        return ShapedNetwork.enter(arguments);
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
        try (TemporaryCluster cluster = TemporaryCluster.up(dir, spec, ShapedNetwork::launcher)) {
            new ShapedBenchmark(plan, seed, scores).run(cluster.cluster());
        } finally {
            Files.delete(racks);
        }
    }

    private static Map<String, String> settings(Path racks) {
        String own = ShapedNetwork.address("${" + LocalCluster.NUMBER_PROPERTY + "}");
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.namenode.servicerpc-address", ShapedNetwork.clientAddress() + ":" + SERVICE_PORT);
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

    private void run(LocalCluster cluster) throws IOException {
        ClientVariant remote =
                ClientVariant.remote().with(ClientVariant.REMOTE, Map.of("terrace.client.write.enabled", "true"));
        try (Client stock = ClientVariant.stock().open(cluster.confStock());
                Client ours = remote.open(cluster.confStock())) {
            scores.section(
                    "Links of set speed, " + plan.fileBytes() / 1e6 + " MB in blocks of " + plan.blockBytes() / 1e6
                            + " MB, three replicas; congestion control " + ShapedNetwork.congestionControl());
            StoredReplicas replicas = new StoredReplicas(cluster);
            for (ShapedPlan.Case one : plan.cases()) {
                measure(one, stock, ours, replicas);
            }
        }
    }

    private void measure(ShapedPlan.Case one, Client stock, Client ours, StoredReplicas replicas) throws IOException {
        stored.clear();
        FileWrites writes = new FileWrites(content, stock.fs(), 1, plan.fileBytes(), 1, replicas);
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
            countStored(client);
            writes.compareAndRemove(client, round);
            scores.progress(one.id() + " " + client.name() + " " + Math.round(seconds * 10) / 10.0 + " s");
            return seconds;
        });
        scores.note(one.id() + ".stock_s", runs.median(stock.name()), "s");
        scores.note(one.id() + ".terrace_s", runs.median(ours.name()), "s");
        scores.atLeast(one.id(), runs.ratios(stock.name(), ours.name()).median(), one.target());
        if (one.equals(ShapedPlan.EQUAL)) {
            scores.below(one.id() + ".fullest", (double) fullest(ours) / fullest(stock), 1.2);
        }
    }

    private void countStored(Client client) throws IOException {
        FileSystem fs = client.fs();
        Map<String, Long> hosts = stored.computeIfAbsent(client.name(), unused -> new TreeMap<>());
        for (FileStatus file : fs.listStatus(new org.apache.hadoop.fs.Path("/bench-write"))) {
            for (BlockLocation block : fs.getFileBlockLocations(file, 0, file.getLen())) {
                for (String name : block.getNames()) {
                    hosts.merge(name, block.getLength(), Long::sum);
                }
            }
        }
    }

    private long fullest(Client client) {
        return Collections.max(
                stored.getOrDefault(client.name(), Map.of("", 0L)).values());
    }
}
