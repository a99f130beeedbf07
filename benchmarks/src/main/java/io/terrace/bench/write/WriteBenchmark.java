package io.terrace.bench.write;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;

/**
 * Writes of large files, by stock HDFS and over the channel, in interleaved rounds; see benchmarks/README.md for what each figure
 * is. Files have a replica on each DataNode of the cluster. Each file is compared after it was written, outside the measured time.
 */
public final class WriteBenchmark implements Closeable {
    /** As for remote reads: to where no port of a local cluster and no outgoing connection is. */
    private static final String PORT_OFFSET = "-12000";

    private static final String STOCK = ClientVariant.STOCK;
    private static final String TUNED = "tuned";
    private static final String LOCAL = ClientVariant.LOCAL;
    private static final String TCP = "tcp";

    private final LocalCluster cluster;
    private final WritePlan plan;
    private final ResultSheet scores;
    private final FileContent content;
    private final Client stock;
    private final Client tuned;
    private final Client local;
    private final Client tcp;

    public WriteBenchmark(LocalCluster cluster, WritePlan plan, long seed, ResultSheet scores) throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.scores = scores;
        this.content = new FileContent(seed);
        Configuration conf = cluster.confStock();
        Map<String, String> replicas =
                Map.of("dfs.replication", Integer.toString(cluster.spec().datanodes()));
        Map<String, String> writes = Map.of("terrace.client.write.enabled", "true");
        ClientVariant stockWrites = ClientVariant.stock().with(STOCK, replicas);
        this.stock = stockWrites.open(conf);
        this.tuned = stockWrites
                .with(TUNED, Map.of("dfs.client-write-packet-size", "1048576"))
                .open(conf);
        this.local = ClientVariant.local(cluster)
                .with(LOCAL, replicas)
                .with(LOCAL, writes)
                .open(conf);
        this.tcp = ClientVariant.remote().with(TCP, replicas).with(TCP, writes).open(conf);
    }

    /** What the cluster must be told for this benchmark. */
    public static Map<String, String> settings() {
        return Map.of("terrace.channel.tcp.port.offset", PORT_OFFSET);
    }

    /** Runs these parts. */
    public void run(Set<WritePart> parts) throws IOException {
        requireOverChannel(local);
        requireOverChannel(tcp);
        if (parts.contains(WritePart.R3)) {
            files("write.r3.tcp", "Files of three replicas over tcp", tcp, 2.5, 1.6);
            scores.section("Processor time of the DataNodes, write.r3.tcp");
            datanodeTime(tcp, "write.r3.tcp", 2.2);
        }
        if (parts.contains(WritePart.LOCAL)) {
            files("write.r1.local", "Files of one replica on this host", local, 2.5, 1.5);
        }
        if (parts.contains(WritePart.TCP)) {
            files("write.r1.tcp", "The same over tcp", tcp, 1.8, 1.3);
        }
        if (parts.contains(WritePart.CPU)) {
            processorTime(local, "write.r1.local", 2);
            processorTime(tcp, "write.r1.tcp", 0);
        }
        requireOverChannel(local);
        requireOverChannel(tcp);
    }

    /** Fails unless what the client writes goes over the channel: else the figures would be of stock. */
    private void requireOverChannel(Client client) throws IOException {
        FileWrites one = writes(1 << 20);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        double unused = one.cost(client, 0);
        requireOverChannel(client, before, one.bytesOfRound());
    }

    private static void requireOverChannel(Client client, long before, long expected) throws IOException {
        long written = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before;
        if (written != expected) {
            throw new IOException(written + " of " + expected + " bytes of " + client.name()
                    + " went over the channel; figures of the client: " + ClientMetrics.snapshot());
        }
    }

    private void files(String id, String title, Client ours, double target, double tunedTarget) throws IOException {
        scores.section(title);
        FileWrites writes = writes(plan.fileBytes());
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        InterleavedRuns runs = new InterleavedRuns(List.of(stock, tuned, ours), plan.warmUps(), plan.rounds(), writes);
        requireOverChannel(ours, before, (plan.warmUps() + plan.rounds()) * writes.bytesOfRound());
        scores.note(id + ".stock_gb_s", 1 / runs.median(STOCK), "GB/s");
        scores.note(id + ".tuned_gb_s", 1 / runs.median(TUNED), "GB/s");
        scores.note(id + ".terrace_gb_s", 1 / runs.median(ours.name()), "GB/s");
        scores.atLeast(id, runs.ratios(STOCK, ours.name()).median(), target);
        scores.atLeast(id + ".tuned", runs.ratios(TUNED, ours.name()).median(), tunedTarget);
    }

    /** @param target of the client and of the DataNode; 0 for none */
    private void processorTime(Client ours, String id, double target) throws IOException {
        scores.section("Processor time of client and DataNode, " + id);
        datanodeTime(ours, id, target);
        FileWrites writes = writes(plan.fileBytes());
        OwnProcessorTime own = new OwnProcessorTime();
        cpu("cpu.client." + id, ours, target, (client, round) -> {
            long beforeNs = own.ns();
            writes.write(client, round);
            double ns = own.ns() - beforeNs;
            writes.compareAndRemove(client, round);
            return ns / writes.bytesOfRound();
        });
    }

    /** Of all DataNodes together. */
    private void datanodeTime(Client ours, String id, double target) throws IOException {
        FileWrites writes = writes(plan.fileBytes());
        List<ProcessTime> datanodes = IntStream.rangeClosed(1, cluster.spec().datanodes())
                .mapToObj(number -> new ProcessTime(cluster.datanode(number)))
                .toList();
        cpu("cpu.datanode." + id, ours, target, (client, round) -> {
            double seconds = ProcessTime.secondsDuring(datanodes, () -> writes.write(client, round));
            writes.compareAndRemove(client, round);
            return seconds / (writes.bytesOfRound() / 1e9);
        });
    }

    private void cpu(String id, Client ours, double target, InterleavedRuns.Probe probe) throws IOException {
        int warmUps = 1;
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        InterleavedRuns runs = new InterleavedRuns(List.of(stock, tuned, ours), warmUps, plan.rounds(), probe);
        requireOverChannel(
                ours,
                before,
                (warmUps + plan.rounds()) * writes(plan.fileBytes()).bytesOfRound());
        scores.note(id + ".stock_s_gb", runs.median(STOCK), "s/GB");
        scores.note(id + ".tuned_s_gb", runs.median(TUNED), "s/GB");
        scores.note(id + ".terrace_s_gb", runs.median(ours.name()), "s/GB");
        double ratio = runs.ratios(STOCK, ours.name()).median();
        if (target > 0) {
            scores.atLeast(id, ratio, target);
        } else {
            scores.note(id, ratio, "times less");
        }
    }

    private FileWrites writes(long fileBytes) {
        return new FileWrites(content, stock.fs(), 1, fileBytes, 1, new StoredReplicas(cluster));
    }

    @Override
    public void close() throws IOException {
        for (Client client : List.of(stock, tuned, local, tcp)) {
            client.close();
        }
    }
}
