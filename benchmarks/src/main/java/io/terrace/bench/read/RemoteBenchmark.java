package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.NameNodeCalls;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Reads of blocks in the memory of another host, by stock HDFS over TCP and by the FileSystem class over the tcp channel,
 * in interleaved rounds; see benchmarks/README.md for what each figure is. The client is told nothing of the DataNode's
 * socket and tmpfs, so it is one of another host in all but distance.
 */
public final class RemoteBenchmark implements Closeable {
    /**
     * From the transfer ports of a local cluster, 20000 to 31999, to where none of them and no outgoing connection is.
     */
    private static final String PORT_OFFSET = "-12000";

    private static final String OFFSET_KEY = "terrace.channel.tcp.port.offset";
    private static final int KILOBYTE = 1 << 10;
    private static final String STOCK = ClientVariant.STOCK;
    private static final String REMOTE = ClientVariant.REMOTE;
    private static final String NIO = "nio";
    private static final String MEMORY_ALWAYS = "memory_always";
    private static final int[] READERS = {1, 4, 16};
    private static final int READS_OF_ALL_READERS = 4_800;
    private static final int CPU_READS = 4_000;
    private static final int CHOICE_READS = 4_000;
    private static final int CPU_FILES = 8;
    private static final int CPU_ROUNDS = 9;
    private static final int TRIES = 10;

    private final LocalCluster cluster;
    private final MeasurementPlan plan;
    private final ResultSheet scores;
    private final BenchFiles files;
    private final List<Client> both;

    /** The same two and one that reads memory whatever it costs, with stock's tuned short-circuit reads of the same replica. */
    private final List<Client> besideReplica;

    public RemoteBenchmark(LocalCluster cluster, MeasurementPlan plan, long seed, ResultSheet scores)
            throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.scores = scores;
        Configuration conf = cluster.confStock();
        ClientVariant remote = ClientVariant.remote();
        Client stock = ClientVariant.stock().open(conf);
        this.both = List.of(stock, remote.open(conf));
        ClientVariant local = ClientVariant.shortCircuit(cluster, 4 * KILOBYTE);
        ClientVariant remoteBeside = local.with(REMOTE + "-local", remote.properties());
        this.besideReplica = List.of(
                local.with(STOCK + "-local", Map.of()).open(conf),
                remoteBeside.open(conf),
                remoteBeside
                        .with(MEMORY_ALWAYS, Map.of("terrace.client.remote.choice", "memory"))
                        .open(conf));
        this.files = new BenchFiles((DistributedFileSystem) stock.fs(), seed);
    }

    /** The settings that the cluster needs for this benchmark. */
    public static Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>(MetricsPage.SETTINGS);
        all.put(OFFSET_KEY, PORT_OFFSET);
        return all;
    }

    /** Runs these parts. */
    public void run(Set<RemotePart> parts) throws IOException {
        scores.section("Storing and pinning a file");
        Path hot = files.store("hot", 1, plan.fileBytes()).get(0);
        files.pin(List.of(hot));
        requireFromMemory(hot);
        if (parts.contains(RemotePart.POSITIONAL)) {
            positional(hot, 4 * KILOBYTE, "remote.pos4k", 4);
            positional(hot, 64 * KILOBYTE, "remote.pos64k", 3);
        }
        if (parts.contains(RemotePart.SEQUENTIAL)) {
            sequential(hot);
        }
        if (parts.contains(RemotePart.CPU)) {
            processorTime(hot);
        }
        if (parts.contains(RemotePart.READERS)) {
            for (int readers : READERS) {
                concurrent(hot, readers);
            }
        }
        if (parts.contains(RemotePart.CHOICE)) {
            choice(hot);
        }
        if (parts.contains(RemotePart.CALLS)) {
            calls(hot);
        }
        requireFromMemory(hot);
    }

    /**
     * Fails unless what stock reads is what the class reads, and from memory: else the figures would be of stock. On a busy
     * machine a first connection may take longer than a client waits for it, which then reads stock for a while.
     */
    private void requireFromMemory(Path hot) throws IOException {
        long read = 0;
        for (int i = 0; i < TRIES && read != plan.fileBytes(); i++) {
            long before = ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES);
            BenchFiles.requireSame(both.get(0), both.get(1), hot);
            read = ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES) - before;
        }
        if (read != plan.fileBytes()) {
            throw new IOException("only " + read + " of " + plan.fileBytes()
                    + " bytes came from memory; figures of the client: " + ClientMetrics.snapshot());
        }
    }

    private void positional(Path hot, int readBytes, String id, double target) throws IOException {
        scores.section("Positional reads of " + readBytes / KILOBYTE + " KB from the memory of another host");
        try (PositionalReads reads = new PositionalReads(hot, plan.fileBytes(), readBytes, plan.readsPerRound())) {
            InterleavedRuns runs = new InterleavedRuns(both, plan.warmUps(), plan.rounds(), reads);
            scores.note(id + ".stock_us", runs.median(STOCK), "us");
            scores.note(id + ".terrace_us", runs.median(REMOTE), "us");
            scores.atLeast(id + ".tcp", runs.ratios(STOCK, REMOTE).median(), target);
        }
    }

    private void sequential(Path hot) throws IOException {
        scores.section("Sequential reads, " + plan.bufferBytes() / KILOBYTE + " KB at a time");
        SequentialReads reads = new SequentialReads(List.of(hot), plan.fileBytes(), plan.bufferBytes());
        try (LoopbackBaseline bare = new LoopbackBaseline(extent(), plan.fileBytes(), plan.bufferBytes())) {
            List<Client> clients = new ArrayList<>(both);
            clients.add(new Client(NIO, both.get(0).fs()));
            InterleavedRuns runs = new InterleavedRuns(
                    clients,
                    plan.warmUps(),
                    plan.rounds(),
                    (client, round) -> (client.name().equals(NIO) ? bare : reads).cost(client, round));
            scores.note("remote.seq.stock_gb_s", 1 / runs.median(STOCK), "GB/s");
            scores.note("remote.seq.terrace_gb_s", 1 / runs.median(REMOTE), "GB/s");
            scores.note("remote.seq.nio_gb_s", 1 / runs.median(NIO), "GB/s");
            scores.atLeast("remote.seq.tcp", runs.ratios(STOCK, REMOTE).median(), 1.15);
            scores.atLeast("remote.seq.nio", runs.ratios(NIO, REMOTE).median(), 0.8);
        }
    }

    /** The file on tmpfs that the DataNode holds the pinned block in: the only one of its length. */
    private java.nio.file.Path extent() throws IOException {
        try (Stream<java.nio.file.Path> all = Files.walk(cluster.memoryDir(1))) {
            List<java.nio.file.Path> found = all.filter(
                            file -> Files.isRegularFile(file) && file.toFile().length() == plan.fileBytes())
                    .toList();
            if (found.isEmpty()) {
                throw new IOException("the pinned block is not in " + cluster.memoryDir(1));
            }
            return found.get(0);
        }
    }

    /** The DataNode's CPU for the same bytes, in pairs of rounds. */
    private void processorTime(Path hot) throws IOException {
        scores.section("DataNode CPU for the same bytes");
        ProcessTime datanode = new ProcessTime(cluster.datanode(1));
        SequentialReads sequential = new SequentialReads(List.of(hot), plan.fileBytes(), plan.bufferBytes());
        cpu(
                "seq",
                CPU_FILES * plan.fileBytes(),
                (client, round) -> datanode.secondsDuring(() -> {
                    for (int i = 0; i < CPU_FILES; i++) {
                        double unused = sequential.cost(client, round);
                    }
                }));
        try (PositionalReads positional = new PositionalReads(hot, plan.fileBytes(), 4 * KILOBYTE, CPU_READS)) {
            cpu(
                    "pos",
                    CPU_READS * 4L * KILOBYTE,
                    (client, round) -> datanode.secondsDuring(() -> {
                        double unused = positional.cost(client, round);
                    }));
        }
    }

    private void cpu(String kind, long bytes, InterleavedRuns.Probe probe) throws IOException {
        InterleavedRuns runs = new InterleavedRuns(both, 1, Math.min(CPU_ROUNDS, plan.rounds()), probe);
        boolean sequential = kind.equals("seq");
        scores.note("cpu.datanode.remote." + kind + ".stock_s_gb", runs.median(STOCK) / (bytes / 1e9), "s/GB");
        scores.note("cpu.datanode.remote." + kind + ".terrace_s_gb", runs.median(REMOTE) / (bytes / 1e9), "s/GB");
        scores.atLeast(
                sequential ? "cpu.datanode.remote.tcp" : "cpu.datanode.remote.pos.tcp",
                runs.ratios(STOCK, REMOTE).median(),
                sequential ? 1.25 : 3);
    }

    private void concurrent(Path hot, int readers) throws IOException {
        scores.section(readers + " at a time read 4 KB");
        try (ConcurrentReads reads =
                new ConcurrentReads(hot, plan.fileBytes(), 4 * KILOBYTE, readers, READS_OF_ALL_READERS)) {
            InterleavedRuns runs = new InterleavedRuns(both, plan.warmUps(), plan.rounds(), reads);
            String id = "remote.readers" + readers;
            scores.note(id + ".stock_reads_s", 1e9 / runs.median(STOCK), "/s");
            scores.note(id + ".terrace_reads_s", 1e9 / runs.median(REMOTE), "/s");
            scores.atLeast(id + ".throughput", runs.ratios(STOCK, REMOTE).median(), 1.1);
            scores.atLeast(
                    id + ".p99", reads.tailRatios(STOCK, REMOTE, plan.warmUps()).median(), 1.1);
        }
    }

    /**
     * Compares with a stock read of a replica on this host from the page cache, which is nearer than the memory of
     * another host.
     */
    private void choice(Path hot) throws IOException {
        scores.section("Positional reads of 4 KB with a replica on this host and a copy in the memory of another");
        for (Client client : besideReplica) {
            BenchFiles.requireSame(both.get(0), client, hot);
        }
        try (PositionalReads reads = new PositionalReads(hot, plan.fileBytes(), 4 * KILOBYTE, CHOICE_READS)) {
            InterleavedRuns runs = new InterleavedRuns(besideReplica, plan.warmUps(), plan.rounds(), reads);
            String stock = besideReplica.get(0).name();
            scores.note("remote.choice.stock_us", runs.median(stock), "us");
            scores.note(
                    "remote.choice.terrace_us", runs.median(besideReplica.get(1).name()), "us");
            scores.note("remote.choice.memory_always_us", runs.median(MEMORY_ALWAYS), "us");
            scores.atLeast(
                    "remote.choice",
                    runs.ratios(stock, besideReplica.get(1).name()).median(),
                    0.75);
        }
    }

    /** Opens, each followed by reads of two kinds. */
    private void calls(Path hot) throws IOException {
        scores.section("Calls to the NameNode for an open and the reads after it");
        NameNodeCalls calls = new NameNodeCalls(
                new MetricsPage(cluster.ports().namenodeHttp()), cluster.ports().namenodeRpc());
        double stock = callsPerOpen(calls, both.get(0), hot);
        double ours = callsPerOpen(calls, both.get(1), hot);
        scores.note("remote.calls.stock", stock, "an open");
        scores.note("remote.calls.terrace", ours, "an open");
        scores.atLeast("remote.calls.equal", stock == ours ? 1 : 0, 1);
    }

    private double callsPerOpen(NameNodeCalls calls, Client client, Path hot) throws IOException {
        int opens = 10 * plan.opensPerRound();
        byte[] buffer = new byte[4 * KILOBYTE];
        long before = calls.ofClients();
        for (int i = 0; i < opens; i++) {
            try (FSDataInputStream in = client.fs().open(hot)) {
                in.readFully((long) i * KILOBYTE, buffer, 0, buffer.length);
                in.readFully(buffer);
            }
        }
        return (double) (calls.ofClients() - before) / opens;
    }

    @Override
    public void close() throws IOException {
        for (List<Client> clients : List.of(both, besideReplica)) {
            for (Client client : clients) {
                client.close();
            }
        }
    }
}
