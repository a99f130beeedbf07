package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.InterleavedRuns;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Reads of stock HDFS and of Terrace on one cluster, in interleaved rounds; see benchmarks/README.md for what each figure
 * is. Ratios are stock's cost over ours: over 1 is better than stock.
 */
public final class ReadBenchmark implements Closeable {
    private static final int KILOBYTE = 1 << 10;
    private static final int MEGABYTE = 1 << 20;

    /** Few: the DataNode takes but some ticks of the accounting, which are of 10 ms, for what Terrace reads in a round. */
    private static final int CPU_ROUNDS = 5;

    private static final String TCP = "tcp";
    private static final String SHORT_CIRCUIT = "sc";
    private static final String TUNED_4K = "sctuned4k";
    private static final String TUNED_64K = "sctuned64k";
    private static final String TERRACE = "terrace";
    private static final String MAPPED = "terrace_mapped";
    private static final String MEMCPY = "memcpy";

    private final LocalCluster cluster;
    private final MeasurementPlan plan;
    private final long seed;
    private final ResultSheet scores;
    private final DistributedFileSystem dfs;
    private final BenchFiles files;
    private final List<Client> all = new ArrayList<>();

    public ReadBenchmark(LocalCluster cluster, MeasurementPlan plan, long seed, ResultSheet scores) throws IOException {
        this.cluster = cluster;
        this.plan = plan;
        this.seed = seed;
        this.scores = scores;
        Configuration conf = cluster.confStock();
        Client stock = open(ClientVariant.stock().with(TCP, Map.of()), conf);
        this.dfs = (DistributedFileSystem) stock.fs();
        this.files = new BenchFiles(dfs, seed);
        Map<String, String> shortCircuit = Map.of(
                "dfs.client.read.shortcircuit",
                "true",
                "dfs.domain.socket.path",
                cluster.layout().shortCircuit().toString());
        open(new ClientVariant(SHORT_CIRCUIT, shortCircuit), conf);
        open(ClientVariant.shortCircuit(cluster, 4 * KILOBYTE).with(TUNED_4K, Map.of()), conf);
        open(ClientVariant.shortCircuit(cluster, 64 * KILOBYTE).with(TUNED_64K, Map.of()), conf);
        open(new ClientVariant(TERRACE, Map.of()), cluster.conf());
        open(new ClientVariant(MAPPED, Map.of("terrace.client.mapped.max", "4g")), cluster.conf());
    }

    private Client open(ClientVariant variant, Configuration conf) throws IOException {
        Client client = variant.open(conf);
        all.add(client);
        return client;
    }

    /** Runs these parts; promotions are {@link PromotionBenchmark}'s. */
    public void run(Set<ReadPart> parts) throws IOException {
        scores.section("Storing and pinning files");
        long length = plan.fileBytes();
        Path hot = files.store("hot", 1, length).get(0);
        Path cold = files.store("cold", 1, length).get(0);
        List<Path> firsts = files.store("first", plan.firstReads(), plan.firstBytes());
        files.pin(List.of(hot));
        files.pin(firsts);
        for (Client client : all) {
            BenchFiles.requireSame(all.get(0), client, hot);
            BenchFiles.requireSame(all.get(0), client, cold);
        }
        if (parts.contains(ReadPart.FIRST)) {
            first(firsts);
            // Not before, as a client is to meet each for the first time.
            for (Path file : firsts) {
                for (Client client : named(SHORT_CIRCUIT, TERRACE)) {
                    BenchFiles.requireSame(all.get(0), client, file);
                }
            }
        }
        if (parts.contains(ReadPart.POSITIONAL)) {
            positional(hot, 4 * KILOBYTE, "local.pos4k", TUNED_4K);
            positional(hot, 64 * KILOBYTE, "local.pos64k", TUNED_64K);
        }
        if (parts.contains(ReadPart.SEQUENTIAL)) {
            sequential(hot);
        }
        if (parts.contains(ReadPart.STOCK)) {
            stockOnHot(hot, cold);
        }
        if (parts.contains(ReadPart.COLD)) {
            try (ColdReads reads = new ColdReads(cluster, plan, seed, scores)) {
                reads.run(cold, files.store("small", 1, smallBytes()).get(0), smallBytes());
            }
        }
        if (parts.contains(ReadPart.OPEN)) {
            open(hot);
        }
        if (parts.contains(ReadPart.CPU)) {
            processorTime(hot);
        }
    }

    private void positional(Path hot, int readBytes, String id, String tuned) throws IOException {
        scores.section("Hot positional reads of " + readBytes / KILOBYTE + " KB");
        try (PositionalReads reads = new PositionalReads(hot, plan.fileBytes(), readBytes, plan.readsPerRound())) {
            InterleavedRuns runs = new InterleavedRuns(
                    named(TCP, SHORT_CIRCUIT, tuned, TERRACE), plan.warmUps(), plan.rounds(), reads);
            for (String name : List.of(TCP, SHORT_CIRCUIT, tuned, TERRACE)) {
                scores.note(id + "." + plain(name) + "_us", runs.median(name), "us");
            }
            scores.atLeast(id + ".tcp", runs.ratios(TCP, TERRACE).median(), 20);
            scores.atLeast(id + ".sc", runs.ratios(SHORT_CIRCUIT, TERRACE).median(), 10);
            scores.atLeast(id + ".sctuned", runs.ratios(tuned, TERRACE).median(), 2);
        }
    }

    private static String plain(String name) {
        return name.startsWith("sctuned") ? "sctuned" : name;
    }

    private void sequential(Path hot) throws IOException {
        scores.section("Hot sequential reads, " + plan.bufferBytes() / KILOBYTE + " KB at a time");
        SequentialReads reads = new SequentialReads(List.of(hot), plan.fileBytes(), plan.bufferBytes());
        MemcpyBaseline memcpy = new MemcpyBaseline(plan.fileBytes(), plan.bufferBytes());
        List<Client> clients = new ArrayList<>(named(TCP, SHORT_CIRCUIT, TERRACE, MAPPED));
        clients.add(new Client(MEMCPY, dfs));
        InterleavedRuns runs = new InterleavedRuns(
                clients,
                plan.warmUps(),
                plan.rounds(),
                (client, round) ->
                        client.name().equals(MEMCPY) ? memcpy.cost(client, round) : reads.cost(client, round));
        for (Client client : clients) {
            scores.note("local.seq." + client.name() + "_gb_s", 1 / runs.median(client.name()), "GB/s");
        }
        scores.note("local.seq.memcpy.share", runs.ratios(MEMCPY, TERRACE).median(), "of memcpy's speed");
        scores.note("local.seq.mapped.memcpy.share", runs.ratios(MEMCPY, MAPPED).median(), "of memcpy's speed");
        scores.atLeast("local.seq.tcp", runs.ratios(TCP, TERRACE).median(), 2.5);
        scores.atLeast("local.seq.sc", runs.ratios(SHORT_CIRCUIT, TERRACE).median(), 1.1);
        scores.atLeast("local.seq.mapped.sc", runs.ratios(SHORT_CIRCUIT, MAPPED).median(), 1.4);
    }

    /** Cold reads at this cluster's DataNode and at a stock one. */
    public void coldAgainst(LocalCluster stock) throws IOException {
        try (ColdDataNodes reads = new ColdDataNodes(stock, cluster, plan, seed, scores)) {
            reads.run(smallBytes());
        }
    }

    private long smallBytes() {
        return plan.firstBytes() / 4;
    }

    /** Each client meets each file once; nothing about it is cached in the client before. */
    private void first(List<Path> firsts) throws IOException {
        scores.section("First sequential read of a hot file of " + plan.firstBytes() / MEGABYTE + " MB");
        int warmUps = Math.min(plan.warmUps(), firsts.size() / 3);
        InterleavedRuns runs = new InterleavedRuns(
                named(SHORT_CIRCUIT, TERRACE),
                warmUps,
                firsts.size() - warmUps,
                new SequentialReads(firsts, plan.firstBytes(), plan.bufferBytes()));
        scores.note("local.seq.first.sc_gb_s", 1 / runs.median(SHORT_CIRCUIT), "GB/s");
        scores.note("local.seq.first.terrace_gb_s", 1 / runs.median(TERRACE), "GB/s");
        scores.atLeast("local.seq.first.sc", runs.ratios(SHORT_CIRCUIT, TERRACE).median(), 1);
    }

    /** A stock client over TCP: a block that the DataNode serves from memory against one that it serves from disk. */
    private void stockOnHot(Path hot, Path cold) throws IOException {
        scores.section("Stock client over TCP: hot file against cold file");
        SequentialReads onHot = new SequentialReads(List.of(hot), plan.fileBytes(), plan.bufferBytes());
        SequentialReads onCold = new SequentialReads(List.of(cold), plan.fileBytes(), plan.bufferBytes());
        Client stock = named(TCP).get(0);
        Client asHot = new Client("hot", stock.fs());
        Client asCold = new Client("cold", stock.fs());
        InterleavedRuns runs = new InterleavedRuns(
                List.of(asHot, asCold),
                plan.warmUps(),
                plan.rounds(),
                (client, round) -> (client.equals(asHot) ? onHot : onCold).cost(client, round));
        scores.atLeast("stock.hot.seq", runs.ratios("cold", "hot").median(), 0.97);
    }

    private void open(Path hot) throws IOException {
        scores.section("Open of a hot file and its first byte, lower bound of 95 %");
        bound("open.hot.tcp", plan.pairs(), new OpenAndRead(hot, plan.opensPerRound()));
    }

    private void bound(String id, int rounds, InterleavedRuns.Probe probe) throws IOException {
        atLeast(id, new InterleavedRuns(named(TCP, TERRACE), plan.warmUps(), rounds, probe).ratios(TCP, TERRACE));
    }

    private void atLeast(String id, PairedRatios ratios) {
        scores.note(id + ".median", ratios.median(), "");
        scores.atLeast(id, ratios.lowerBound(), 0.95);
    }

    /** DataNode CPU for the bytes of a hot file: stock client over TCP against Terrace. */
    private void processorTime(Path hot) throws IOException {
        scores.section("DataNode CPU per gigabyte of a hot file");
        ProcessTime datanode = new ProcessTime(cluster.datanode(1));
        InterleavedRuns runs = new InterleavedRuns(
                named(TCP, TERRACE),
                1,
                CPU_ROUNDS,
                (client, round) -> datanode.secondsPerGigabyte(
                        hot,
                        client,
                        plan.fileBytes(),
                        (client.name().equals(TCP) ? plan.cpuStockBytes() : plan.cpuTerraceBytes()) / CPU_ROUNDS));
        scores.note("cpu.datanode.tcp_s_gb", runs.median(TCP), "s/GB");
        scores.note("cpu.datanode.terrace_s_gb", runs.median(TERRACE), "s/GB");
        scores.atLeast("cpu.datanode.local.tcp", runs.ratios(TCP, TERRACE).median(), 20);
    }

    private List<Client> named(String... names) {
        List<Client> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(all.stream()
                    .filter(client -> client.name().equals(name))
                    .findFirst()
                    .orElseThrow());
        }
        return chosen;
    }

    @Override
    public void close() throws IOException {
        for (Client client : all) {
            client.close();
        }
    }
}
