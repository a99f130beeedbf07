package io.terrace.bench.read;

import io.terrace.bench.cluster.LocalCluster;
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
    private static final String TCP = "tcp";
    private static final String SHORT_CIRCUIT = "sc";
    private static final String TUNED_4K = "sctuned4k";
    private static final String TUNED_64K = "sctuned64k";
    private static final String TERRACE = "terrace";
    private static final String MAPPED = "terrace_mapped";
    private static final String MEMCPY = "memcpy";

    private final LocalCluster cluster;
    private final Effort effort;
    private final Scoreboard scores;
    private final DistributedFileSystem dfs;
    private final BenchFiles files;
    private final List<Contender> all = new ArrayList<>();

    public ReadBenchmark(LocalCluster cluster, Effort effort, long seed, Scoreboard scores) throws IOException {
        this.cluster = cluster;
        this.effort = effort;
        this.scores = scores;
        Contender stock = contender(TCP, cluster.confStock(), Map.of());
        this.dfs = (DistributedFileSystem) stock.fs();
        this.files = new BenchFiles(dfs, seed);
        String socket = cluster.layout().shortCircuit().toString();
        String buffer = "dfs.client.read.shortcircuit.buffer.size";
        Map<String, String> shortCircuit =
                Map.of("dfs.client.read.shortcircuit", "true", "dfs.domain.socket.path", socket);
        Configuration local = new Configuration(cluster.confStock());
        shortCircuit.forEach(local::set);
        contender(SHORT_CIRCUIT, local, Map.of());
        contender(TUNED_4K, local, Map.of(buffer, Integer.toString(4 * KILOBYTE)));
        contender(TUNED_64K, local, Map.of(buffer, Integer.toString(64 * KILOBYTE)));
        contender(TERRACE, cluster.conf(), Map.of());
        contender(MAPPED, cluster.conf(), Map.of("terrace.client.mapped.max", "4g"));
    }

    private Contender contender(String name, Configuration conf, Map<String, String> changes) throws IOException {
        Contender contender = Contender.open(name, conf, changes);
        all.add(contender);
        return contender;
    }

    /** Runs these parts; promotions are {@link PromotionBenchmark}'s. */
    public void run(Set<Part> parts) throws IOException {
        scores.section("Storing and pinning files");
        long length = effort.fileBytes();
        Path hot = files.store("hot", 1, length).get(0);
        Path cold = files.store("cold", 1, length).get(0);
        List<Path> firsts = files.store("first", effort.firstReads(), effort.firstBytes());
        files.pin(List.of(hot));
        files.pin(firsts);
        for (Contender contender : all) {
            BenchFiles.requireSame(all.get(0), contender, hot);
            BenchFiles.requireSame(all.get(0), contender, cold);
        }
        if (parts.contains(Part.FIRST)) {
            first(firsts);
        }
        if (parts.contains(Part.POSITIONAL)) {
            positional(hot, 4 * KILOBYTE, "local.pos4k", TUNED_4K);
            positional(hot, 64 * KILOBYTE, "local.pos64k", TUNED_64K);
        }
        if (parts.contains(Part.SEQUENTIAL)) {
            sequential(hot);
        }
        if (parts.contains(Part.STOCK)) {
            stockOnHot(hot, cold);
        }
        if (parts.contains(Part.COLD)) {
            cold(cold);
        }
        if (parts.contains(Part.OPEN)) {
            open(hot);
        }
        if (parts.contains(Part.CPU)) {
            processorTime(hot);
        }
    }

    private void positional(Path hot, int readBytes, String id, String tuned) throws IOException {
        scores.section("Hot positional reads of " + readBytes / KILOBYTE + " KB");
        try (PositionalReads reads = new PositionalReads(hot, effort.fileBytes(), readBytes, effort.readsPerRound())) {
            Duel duel = new Duel(named(TCP, SHORT_CIRCUIT, tuned, TERRACE), effort.warmUps(), effort.rounds(), reads);
            for (String name : List.of(TCP, SHORT_CIRCUIT, tuned, TERRACE)) {
                scores.note(id + "." + plain(name) + "_us", duel.median(name), "us");
            }
            scores.atLeast(id + ".tcp", duel.ratios(TCP, TERRACE).median(), 20);
            scores.atLeast(id + ".sc", duel.ratios(SHORT_CIRCUIT, TERRACE).median(), 10);
            scores.atLeast(id + ".sctuned", duel.ratios(tuned, TERRACE).median(), 2);
        }
    }

    private static String plain(String name) {
        return name.startsWith("sctuned") ? "sctuned" : name;
    }

    private void sequential(Path hot) throws IOException {
        scores.section("Hot sequential reads, " + effort.bufferBytes() / KILOBYTE + " KB at a time");
        SequentialReads reads = new SequentialReads(List.of(hot), effort.fileBytes(), effort.bufferBytes());
        Memcpy memcpy = new Memcpy(effort.fileBytes(), effort.bufferBytes());
        List<Contender> contenders = new ArrayList<>(named(TCP, SHORT_CIRCUIT, TERRACE, MAPPED));
        contenders.add(new Contender(MEMCPY, dfs));
        Duel duel = new Duel(
                contenders,
                effort.warmUps(),
                effort.rounds(),
                (contender, round) ->
                        contender.name().equals(MEMCPY) ? memcpy.cost(contender, round) : reads.cost(contender, round));
        for (Contender contender : contenders) {
            scores.note("local.seq." + contender.name() + "_gb_s", 1 / duel.median(contender.name()), "GB/s");
        }
        scores.note("local.seq.memcpy.share", duel.ratios(MEMCPY, TERRACE).median(), "of memcpy's speed");
        scores.note("local.seq.mapped.memcpy.share", duel.ratios(MEMCPY, MAPPED).median(), "of memcpy's speed");
        scores.atLeast("local.seq.tcp", duel.ratios(TCP, TERRACE).median(), 2.5);
        scores.atLeast("local.seq.sc", duel.ratios(SHORT_CIRCUIT, TERRACE).median(), 1.1);
        scores.atLeast("local.seq.mapped.sc", duel.ratios(SHORT_CIRCUIT, MAPPED).median(), 1.4);
    }

    /** Each contender meets each file once; nothing about it is cached in the client before. */
    private void first(List<Path> firsts) throws IOException {
        scores.section("First sequential read of a hot file of " + effort.firstBytes() / MEGABYTE + " MB");
        int warmUps = Math.min(effort.warmUps(), firsts.size() / 3);
        Duel duel = new Duel(
                named(SHORT_CIRCUIT, TERRACE),
                warmUps,
                firsts.size() - warmUps,
                new SequentialReads(firsts, effort.firstBytes(), effort.bufferBytes()));
        scores.note("local.seq.first.sc_gb_s", 1 / duel.median(SHORT_CIRCUIT), "GB/s");
        scores.note("local.seq.first.terrace_gb_s", 1 / duel.median(TERRACE), "GB/s");
        scores.atLeast("local.seq.first.sc", duel.ratios(SHORT_CIRCUIT, TERRACE).median(), 0.95);
    }

    /** A stock client over TCP: a block that the DataNode serves from memory against one that it serves from disk. */
    private void stockOnHot(Path hot, Path cold) throws IOException {
        scores.section("Stock client over TCP: hot file against cold file");
        SequentialReads onHot = new SequentialReads(List.of(hot), effort.fileBytes(), effort.bufferBytes());
        SequentialReads onCold = new SequentialReads(List.of(cold), effort.fileBytes(), effort.bufferBytes());
        Contender stock = named(TCP).get(0);
        Contender asHot = new Contender("hot", stock.fs());
        Contender asCold = new Contender("cold", stock.fs());
        Duel duel = new Duel(
                List.of(asHot, asCold),
                effort.warmUps(),
                effort.rounds(),
                (contender, round) -> (contender.equals(asHot) ? onHot : onCold).cost(contender, round));
        scores.atLeast("stock.hot.seq", duel.ratios("cold", "hot").median(), 0.97);
    }

    private void cold(Path cold) throws IOException {
        scores.section("Cold reads: accessor off against accessor on, lower bound of 95 %");
        try (PositionalReads reads =
                new PositionalReads(cold, effort.fileBytes(), 4 * KILOBYTE, effort.readsPerRound())) {
            bound("cold.pos4k.tcp", effort.pairs(), reads);
        }
        bound(
                "cold.seq.tcp",
                effort.pairs(),
                new SequentialReads(List.of(cold), effort.fileBytes(), effort.bufferBytes()));
    }

    private void open(Path hot) throws IOException {
        scores.section("Open of a hot file and its first byte, lower bound of 95 %");
        bound("open.hot.tcp", effort.pairs(), new OpenAndRead(hot, effort.opensPerRound()));
    }

    private void bound(String id, int rounds, Duel.Probe probe) throws IOException {
        PairedRatios ratios = new Duel(named(TCP, TERRACE), effort.warmUps(), rounds, probe).ratios(TCP, TERRACE);
        scores.note(id + ".median", ratios.median(), "");
        scores.atLeast(id, ratios.lowerBound(), 0.95);
    }

    /** DataNode CPU for the bytes of a hot file: stock client over TCP against Terrace. */
    private void processorTime(Path hot) throws IOException {
        scores.section("DataNode CPU per gigabyte of a hot file");
        ProcessTime datanode = new ProcessTime(cluster.datanode(1));
        double stock = datanode.secondsPerGigabyte(hot, named(TCP).get(0), effort.fileBytes(), effort.cpuStockBytes());
        double ours =
                datanode.secondsPerGigabyte(hot, named(TERRACE).get(0), effort.fileBytes(), effort.cpuTerraceBytes());
        scores.note("cpu.datanode.tcp_s_gb", stock, "s/GB");
        scores.note("cpu.datanode.terrace_s_gb", ours, "s/GB");
        scores.atLeast("cpu.datanode.local.tcp", stock / ours, 20);
    }

    private List<Contender> named(String... names) {
        List<Contender> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(all.stream()
                    .filter(contender -> contender.name().equals(name))
                    .findFirst()
                    .orElseThrow());
        }
        return chosen;
    }

    @Override
    public void close() throws IOException {
        for (Contender contender : all) {
            contender.close();
        }
    }
}
