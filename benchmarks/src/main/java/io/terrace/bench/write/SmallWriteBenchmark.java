package io.terrace.bench.write;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.NameNodeCalls;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Small files and flushed records, with a replica on each DataNode of the cluster; see benchmarks/README.md for what each
 * figure is.
 */
public final class SmallWriteBenchmark implements Closeable {
    private static final String STOCK = ClientVariant.STOCK;
    private static final String TUNED = "tuned";
    private static final String OURS = ClientVariant.LOCAL;
    private static final int RECORD_BYTES = 1024;

    /** How long a client of stock waits before it asks again whether the last block has arrived: 400 ms by default. */
    private static final String STOCKS_WAIT_MS = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";

    private static final String COMPLETE = "complete";
    private static final String RENEW_LEASE = "renew_lease";

    private final LocalCluster cluster;
    private final WritePlan plan;
    private final ResultSheet scores;
    private final FileContent content;
    private final StoredReplicas replicas;
    private final Client stock;
    private final Client tuned;
    private final Client ours;

    public SmallWriteBenchmark(LocalCluster cluster, WritePlan plan, long seed, ResultSheet scores) throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.scores = scores;
        this.content = new FileContent(seed);
        this.replicas = new StoredReplicas(cluster);
        String replication = Integer.toString(cluster.spec().datanodes());
        ClientVariant stockWrites = ClientVariant.stock().with(STOCK, Map.of("dfs.replication", replication));
        this.stock = stockWrites.open(cluster.confStock());
        this.tuned = stockWrites.with(TUNED, Map.of(STOCKS_WAIT_MS, "2")).open(cluster.confStock());
        this.ours = ClientVariant.local(cluster)
                .with(OURS, Map.of("dfs.replication", replication, "terrace.client.write.enabled", "true"))
                .open(cluster.confStock());
    }

    /** What the cluster must be told for this benchmark. */
    public static Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>(MetricsPage.SETTINGS);
        all.putAll(WriteBenchmark.settings());
        return all;
    }

    /** Runs these parts. */
    public void run(Set<WritePart> parts) throws IOException {
        if (parts.contains(WritePart.SMALL)) {
            files("write.small.100b", 100, 1, 2);
            files("write.small.64k", 64 << 10, 1, 2);
            files("write.small.64k.threads8", 64 << 10, 8, 1.3);
            calls();
        }
        if (parts.contains(WritePart.FLUSH)) {
            records("write.hflush", false, 1);
            records("write.hsync", true, 0.95);
        }
    }

    private void files(String id, int bytes, int threads, double target) throws IOException {
        scores.section("Files of " + bytes + " bytes by " + threads + (threads == 1 ? " thread" : " threads"));
        FileWrites writes = new FileWrites(content, stock.fs(), plan.smallFiles(), bytes, threads, replicas);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        InterleavedRuns runs =
                new InterleavedRuns(List.of(stock, tuned, ours), plan.warmUps(), plan.smallRounds(), writes);
        requireOverChannel(before, (plan.warmUps() + plan.smallRounds()) * writes.bytesOfRound());
        double toMs = bytes / 1e6;
        scores.note(id + ".stock_ms", runs.median(STOCK) * toMs, "ms a file");
        scores.note(id + ".tuned_ms", runs.median(TUNED) * toMs, "ms a file");
        scores.note(id + ".terrace_ms", runs.median(OURS) * toMs, "ms a file");
        scores.atLeast(id, runs.ratios(STOCK, OURS).median(), target);
        scores.note(id + ".tuned", runs.ratios(TUNED, OURS).median(), "times as fast");
    }

    /** The same files by both; what is asked for again until the last block has arrived is counted apart. */
    private void calls() throws IOException {
        scores.section("Calls to the NameNode for a small file, from create to close");
        NameNodeCalls calls = new NameNodeCalls(
                new MetricsPage(cluster.ports().namenodeHttp()), cluster.ports().namenodeRpc());
        int files = 4 * plan.smallFiles();
        FileWrites writes = new FileWrites(content, stock.fs(), files, 64 << 10, 1, replicas);
        Map<String, Double> stocks = callsPerFile(calls, writes, stock, files);
        Map<String, Double> own = callsPerFile(calls, writes, ours, files);
        scores.note("write.calls.complete_stock", stocks.getOrDefault(COMPLETE, 0.0), "a file");
        scores.note("write.calls.complete_terrace", own.getOrDefault(COMPLETE, 0.0), "a file");
        stocks.remove(COMPLETE);
        own.remove(COMPLETE);
        scores.progress("stock " + stocks + ", terrace " + own);
        scores.atLeast("write.calls.equal", stocks.equals(own) ? 1 : 0, 1);
    }

    private Map<String, Double> callsPerFile(NameNodeCalls calls, FileWrites writes, Client client, int files)
            throws IOException {
        Map<String, Long> before = calls.byNameOfClients();
        writes.write(client, 0);
        Map<String, Long> after = calls.byNameOfClients();
        writes.compareAndRemove(client, 0);
        Map<String, Double> perFile = new TreeMap<>();
        after.forEach((name, count) -> {
            long more = count - before.getOrDefault(name, 0L);
            // A lease is renewed by time, whoever writes.
            if (more > 0 && !name.equals(RENEW_LEASE)) {
                perFile.put(name, (double) more / files);
            }
        });
        return perFile;
    }

    private void records(String id, boolean sync, double target) throws IOException {
        scores.section("Records of 1 KB, each flushed: " + id);
        List<Client> both = List.of(stock, ours);
        FlushedRecords records = new FlushedRecords(
                content, stock.fs(), plan.flushes(), RECORD_BYTES, sync, plan.warmUps(), plan.rounds(), both);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        InterleavedRuns runs = new InterleavedRuns(both, plan.warmUps(), plan.rounds(), records);
        requireOverChannel(before, (long) (plan.warmUps() + plan.rounds()) * plan.flushes() * RECORD_BYTES);
        scores.note(id + ".stock_us", runs.median(STOCK), "us");
        scores.note(id + ".terrace_us", runs.median(OURS), "us");
        scores.atLeast(id, runs.ratios(STOCK, OURS).median(), target);
        double high = new PairedRatios(records.highs(STOCK), records.highs(OURS)).median();
        scores.note(id + ".stock_p99_us", PairedRatios.medianOf(records.highs(STOCK)), "us");
        scores.atLeast(id + ".p99", high, target);
    }

    /** Fails unless all that the client wrote went over the channel: else the figures would be of stock. */
    private static void requireOverChannel(long before, long expected) throws IOException {
        long written = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before;
        if (written < expected) {
            throw new IOException("only " + written + " of " + expected
                    + " bytes went over the channel; figures of the client: " + ClientMetrics.snapshot());
        }
    }

    @Override
    public void close() throws IOException {
        for (Client client : List.of(stock, tuned, ours)) {
            client.close();
        }
    }
}
