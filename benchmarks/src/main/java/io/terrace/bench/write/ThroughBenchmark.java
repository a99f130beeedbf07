package io.terrace.bench.write;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;

/**
 * Files that are in memory as soon as they are written, against the same files written without, in interleaved rounds; and
 * how much of the first read of each comes from memory. The tier is empty when a file begins.
 */
public final class ThroughBenchmark implements Closeable {
    private static final double SPEED = 0.8;
    private static final double FIRST = 1;
    private static final String THROUGH = "-through";
    private static final long EMPTY_WAIT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long POLL_MS = 20;

    private final WritePlan plan;
    private final ResultSheet scores;
    private final FileContent content;
    private final StoredReplicas replicas;
    private final MetricsPage datanode;
    private final Map<String, Client> clients = new LinkedHashMap<>();

    public ThroughBenchmark(LocalCluster cluster, WritePlan plan, long seed, ResultSheet scores) throws IOException {
        this.plan = plan;
        this.scores = scores;
        this.content = new FileContent(seed);
        this.replicas = new StoredReplicas(cluster);
        this.datanode = new MetricsPage(cluster.ports().datanodes().get(0).http());
        Map<String, String> writes = Map.of("terrace.client.write.enabled", "true", "dfs.replication", "1");
        for (ClientVariant way : List.of(ClientVariant.local(cluster), ClientVariant.remote())) {
            ClientVariant without = way.with(way.name(), writes);
            ClientVariant with = without.with(way.name() + THROUGH, Map.of("terrace.client.write.through", "true"));
            clients.put(without.name(), without.open(cluster.confStock()));
            clients.put(with.name(), with.open(cluster.confStock()));
        }
    }

    /** What the cluster must be told for this benchmark. */
    public static Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>(MetricsPage.SETTINGS);
        all.putAll(WriteBenchmark.settings());
        return all;
    }

    /** What the tier must hold: the file whose copies leave it may still be there for a moment. */
    public static long memoryBytes(WritePlan plan) {
        return 2 * plan.fileBytes();
    }

    /** Measures both ways to the DataNode. */
    public void run() throws IOException {
        measure(
                "write.through",
                "Files of one replica on this host, with and without a copy in memory",
                ClientVariant.LOCAL);
        measure("write.through.tcp", "The same over tcp", ClientVariant.REMOTE);
    }

    private void measure(String id, String title, String way) throws IOException {
        scores.section(title);
        String through = way + THROUGH;
        List<Client> both = new ArrayList<>(List.of(client(way), client(through)));
        long[] fromMemory = new long[1];
        long[] read = new long[1];
        FileSystem stock = client(way).fs();
        FileWrites writes = new FileWrites(content, stock, 1, plan.fileBytes(), 1, replicas);
        InterleavedRuns runs = new InterleavedRuns(both, plan.warmUps(), plan.rounds(), (client, round) -> {
            awaitEmpty();
            long startNs = System.nanoTime();
            writes.write(client, round);
            long tookNs = System.nanoTime() - startNs;
            long before = readFromMemory();
            writes.compareAndRemove(client, round);
            if (client.name().equals(through)) {
                fromMemory[0] += readFromMemory() - before;
                read[0] += writes.bytesOfRound();
            }
            return (double) tookNs / writes.bytesOfRound();
        });
        scores.note(id + ".without_gb_s", 1 / runs.median(way), "GB/s");
        scores.note(id + ".with_gb_s", 1 / runs.median(through), "GB/s");
        scores.atLeast(id, runs.ratios(way, through).median(), SPEED);
        scores.atLeast(id + ".first", (double) fromMemory[0] / read[0], FIRST);
    }

    private Client client(String name) throws IOException {
        Client client = clients.get(name);
        if (client == null) {
            throw new IOException("no client " + name);
        }
        return client;
    }

    /** By this process through grants, and by the DataNode for readers of stock's protocol. */
    private long readFromMemory() throws IOException {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES)
                + ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES)
                + datanode.value("terrace_data_node_reads_stock_memory_bytes_total");
    }

    private void awaitEmpty() throws IOException {
        long deadlineNs = System.nanoTime() + EMPTY_WAIT_NS;
        while (datanode.value("terrace_data_node_memory_used_bytes") > 0) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new IOException("copies of files that were deleted are still in memory");
            }
            try {
                Thread.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients.values()) {
            client.close();
        }
    }
}
