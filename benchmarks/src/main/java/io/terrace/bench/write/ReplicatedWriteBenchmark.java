package io.terrace.bench.write;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Large files with a replica on each DataNode of the cluster, over tcp: how near that is to a bare chain of processes, and what
 * several writers at a time get and hold; see benchmarks/README.md for what each figure is.
 */
public final class ReplicatedWriteBenchmark implements Closeable {
    private static final String STOCK = ClientVariant.STOCK;
    private static final String OURS = "tcp";
    private static final String NIO = "nio";
    private static final double NIO_SHARE = 0.75;
    private static final double WRITERS_RATIO = 1.8;
    private static final int[] WRITERS = {4, 16};

    private final LocalCluster cluster;
    private final WritePlan plan;
    private final ResultSheet scores;
    private final FileContent content;
    private final Client stock;
    private final Client ours;

    public ReplicatedWriteBenchmark(LocalCluster cluster, WritePlan plan, long seed, ResultSheet scores)
            throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.scores = scores;
        this.content = new FileContent(seed);
        Map<String, String> replicas =
                Map.of("dfs.replication", Integer.toString(cluster.spec().datanodes()));
        this.stock = ClientVariant.stock().with(STOCK, replicas).open(cluster.confStock());
        this.ours = ClientVariant.remote()
                .with(OURS, replicas)
                .with(OURS, Map.of("terrace.client.write.enabled", "true"))
                .open(cluster.confStock());
    }

    /** Runs these parts. */
    public void run(Set<WritePart> parts) throws IOException {
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        long expected = 0;
        if (parts.contains(WritePart.NIO)) {
            expected += chain();
        }
        if (parts.contains(WritePart.WRITERS)) {
            DirectMemory memory = new DirectMemory(cluster);
            for (int writers : WRITERS) {
                expected += writers(writers, memory);
            }
        }
        long written = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before;
        if (written < expected) {
            throw new IOException("only " + written + " of " + expected
                    + " bytes went over the channel; figures of the client: " + ClientMetrics.snapshot());
        }
    }

    /** Returns the bytes that were written over the channel. */
    private long chain() throws IOException {
        scores.section("Files of three replicas over tcp, and a bare chain of three processes");
        FileWrites writes = new FileWrites(content, stock.fs(), 1, plan.fileBytes(), 1, new StoredReplicas(cluster));
        List<ProcessTime> datanodes = IntStream.rangeClosed(1, cluster.spec().datanodes())
                .mapToObj(number -> new ProcessTime(cluster.datanode(number)))
                .toList();
        Map<String, double[]> seconds = new HashMap<>();
        List<Client> both = List.of(ours, new Client(NIO, stock.fs()));
        both.forEach(client -> seconds.put(client.name(), new double[plan.warmUps() + plan.rounds()]));
        Path dir = cluster.layout().dir().resolve(NIO);
        try (NioChain bare = new NioChain(dir, cluster.spec().datanodes())) {
            List<ProcessTime> nodes = bare.times();
            InterleavedRuns runs = new InterleavedRuns(both, plan.warmUps(), plan.rounds(), (client, round) -> {
                boolean isBare = client.name().equals(NIO);
                long[] tookNs = new long[1];
                double used = ProcessTime.secondsDuring(isBare ? nodes : datanodes, () -> {
                    long startNs = System.nanoTime();
                    if (isBare) {
                        bare.write(content, plan.fileBytes());
                    } else {
                        writes.write(client, round);
                    }
                    tookNs[0] = System.nanoTime() - startNs;
                });
                if (isBare) {
                    bare.compareAndRemove(content, plan.fileBytes());
                } else {
                    writes.compareAndRemove(client, round);
                }
                seconds.getOrDefault(client.name(), new double[0])[round] = used / (plan.fileBytes() / 1e9);
                return (double) tookNs[0] / plan.fileBytes();
            });
            scores.note("write.r3.nio.nio_gb_s", 1 / runs.median(NIO), "GB/s");
            scores.note("write.r3.nio.terrace_gb_s", 1 / runs.median(OURS), "GB/s");
            scores.atLeast("write.r3.nio", runs.ratios(NIO, OURS).median(), NIO_SHARE);
        }
        double[] bare = counted(seconds, NIO);
        double[] used = counted(seconds, OURS);
        scores.note("cpu.datanode.write.r3.nio.nio_s_gb", PairedRatios.medianOf(bare), "s/GB");
        scores.note("cpu.datanode.write.r3.nio.terrace_s_gb", PairedRatios.medianOf(used), "s/GB");
        scores.note("cpu.datanode.write.r3.nio", new PairedRatios(bare, used).median(), "of ours");
        return (plan.warmUps() + plan.rounds()) * plan.fileBytes();
    }

    private double[] counted(Map<String, double[]> seconds, String name) {
        return Arrays.stream(seconds.getOrDefault(name, new double[0]))
                .skip(plan.warmUps())
                .toArray();
    }

    /** Returns the bytes that were written over the channel. */
    private long writers(int count, DirectMemory memory) throws IOException {
        String id = "write.writers" + count + ".r3";
        scores.section(count + " writers at a time, a file each, three replicas over tcp");
        FileWrites writes = new FileWrites(
                content, stock.fs(), count, plan.fileBytes() / count, count, new StoredReplicas(cluster));
        InterleavedRuns runs =
                new InterleavedRuns(List.of(stock, ours), plan.warmUps(), plan.rounds(), (client, round) -> {
                    if (client.name().equals(STOCK)) {
                        return writes.cost(client, round);
                    }
                    try (DirectMemory.Watch watch = memory.watch()) {
                        return writes.cost(client, round);
                    }
                });
        scores.note(id + ".stock_gb_s", 1 / runs.median(STOCK), "GB/s");
        scores.note(id + ".terrace_gb_s", 1 / runs.median(OURS), "GB/s");
        scores.atLeast(id, runs.ratios(STOCK, OURS).median(), WRITERS_RATIO);
        memory.score(id, count, scores);
        return (plan.warmUps() + plan.rounds()) * writes.bytesOfRound();
    }

    @Override
    public void close() throws IOException {
        stock.close();
        ours.close();
    }
}
