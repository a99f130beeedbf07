package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.RoundCosts;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * HBase's PerformanceEvaluation on a table that is pinned in memory, block cache off: random reads and a scan by a region
 * server that reads stock HDFS, and by one that reads through Terrace, in turns.
 */
public final class HBaseApplication {
    /** The line in which PerformanceEvaluation of HBase 2.6 sums up all its clients. */
    private static final Pattern RATE = Pattern.compile("Avg TPS/QPS]\\s+([0-9.]+)");

    private static final String TABLE = "TestTable";
    private static final int CLIENTS = 4;
    private static final int BLOCK_BYTES = 64 << 10;
    /**
     * A region server runs outside containers: it may map the whole table, just as its short-circuit reads are tuned.
     */
    private static final long MAPPED_BYTES = 1L << 30;

    private static final int LIMIT_SECONDS = 600;

    private final LocalCluster cluster;
    private final Path dir;
    private final ResultSheet scores;
    private final int rowsPerClient;
    private final int rounds;

    /**
     * @param dir of configuration, logs and ZooKeeper; what an earlier run left there is removed
     * @param rows of the table, about a kilobyte each
     * @param rounds in each of which every variant is measured once
     */
    public HBaseApplication(LocalCluster cluster, Path dir, int rows, int rounds, ResultSheet scores) {
        this.cluster = cluster;
        this.dir = dir;
        this.rowsPerClient = rows / CLIENTS;
        this.rounds = rounds;
        this.scores = scores;
    }

    /** Runs everything. Fails if a region server that should have read from memory did not. */
    public void run(Path root) throws IOException {
        scores.section("HBase: resolving jars, starting, loading " + rowsPerClient * CLIENTS + " rows");
        List<ClientVariant> variants = List.of(
                ClientVariant.stock(),
                ClientVariant.shortCircuit(cluster, BLOCK_BYTES),
                ClientVariant.localMapped(cluster, MAPPED_BYTES),
                ClientVariant.remote());
        RoundCosts randomReads = new RoundCosts();
        RoundCosts scans = new RoundCosts();
        Map<String, ServedBytes> reads = new LinkedHashMap<>();
        // ZooKeeper would still know the cluster of the previous run.
        LocalCluster.deleteTree(dir);
        try (HBaseDaemons hbase = new HBaseDaemons(cluster, dir, ApplicationJars.classPath("hbase", root))) {
            hbase.startRegionServer(ClientVariant.stock());
            evaluate(hbase, "load", "--presplit=1", "sequentialWrite");
            hbase.stopRegionServer();
            pinTable();
            List<ClientVariant> order = new ArrayList<>(variants);
            for (int round = 0; round < rounds; round++) {
                for (ClientVariant variant : order) {
                    scores.section("Round " + (round + 1) + " of " + rounds + ": " + variant.name());
                    hbase.startRegionServer(variant);
                    ServedBytes before = ServedBytes.of(cluster);
                    measure(hbase, variant, round, randomReads, scans);
                    // A region server reports its reads when it ends, at the latest.
                    hbase.stopRegionServer();
                    JavaProcess.pause();
                    ServedBytes read = ServedBytes.of(cluster).since(before);
                    reads.put(variant.name(), read);
                    require(variant, read);
                }
                order.add(order.remove(0));
            }
        }
        scores.section("HBase, block cache off, " + CLIENTS + " clients, medians of " + rounds + " rounds");
        randomReads.note(scores, "hbase.randomread.rows_s", 1e9, "/s");
        scans.note(scores, "hbase.scan.rows_s", 1e9, "/s");
        reads.forEach((variant, read) -> scores.note("hbase.memory.share." + variant, read.share(), "of bytes read"));
        scores.atLeast("hbase.randomread.local.tcp", randomReads.ratio(ClientVariant.STOCK, ClientVariant.LOCAL), 1.3);
        scores.atLeast(
                "hbase.randomread.local.sctuned",
                randomReads.ratio(ClientVariant.SHORT_CIRCUIT, ClientVariant.LOCAL),
                1.1);
        scores.atLeast(
                "hbase.randomread.remote.tcp", randomReads.ratio(ClientVariant.STOCK, ClientVariant.REMOTE), 1.3);
        scores.atLeast("hbase.scan.local.tcp", scans.ratio(ClientVariant.STOCK, ClientVariant.LOCAL), 1);
        scores.atLeast("hbase.scan.remote.tcp", scans.ratio(ClientVariant.STOCK, ClientVariant.REMOTE), 1);
    }

    private void measure(HBaseDaemons hbase, ClientVariant variant, int round, RoundCosts randomReads, RoundCosts scans)
            throws IOException {
        String name = "-" + (round + 1) + "-" + variant.name();
        // A new region server gets faster over its first tens of thousands of rows, however it reads: warm it up.
        evaluate(hbase, "warmup" + name, "--sampleRate=0.5", "randomRead");
        put(randomReads, variant, evaluate(hbase, "randomread" + name, "--sampleRate=0.25", "randomRead"));
        put(scans, variant, evaluate(hbase, "scan" + name, "--caching=100", "scan"));
    }

    /** Nanoseconds for each row, all clients together. */
    private double evaluate(HBaseDaemons hbase, String name, String option, String command) throws IOException {
        String output = hbase.evaluate(
                name,
                LIMIT_SECONDS,
                List.of("--rows=" + rowsPerClient, "--table=" + TABLE, option, command, Integer.toString(CLIENTS)));
        return 1e9 / rate(output);
    }

    /** Rows a second, all clients together. */
    static double rate(String output) throws IOException {
        Matcher rate = RATE.matcher(output);
        if (!rate.find()) {
            throw new IOException("PerformanceEvaluation printed no rate:\n" + output);
        }
        return Double.parseDouble(rate.group(1));
    }

    /** Every file of the table; the region server that wrote them has ended. */
    private void pinTable() throws IOException {
        try (FileSystem fs = FileSystem.newInstance(cluster.confStock())) {
            long unused = new BenchFiles((DistributedFileSystem) fs, 0)
                    .pinTree(new org.apache.hadoop.fs.Path("/hbase/data/default/" + TABLE));
        }
    }

    private static void require(ClientVariant variant, ServedBytes read) throws IOException {
        if (variant.ours() && read.share() < 0.9) {
            throw new IOException("with " + variant.name() + " only " + read.grantedBytes() + " of "
                    + (read.grantedBytes() + read.stockBytes()) + " bytes came from memory");
        }
        if (!variant.ours() && read.grantedBytes() > 0) {
            throw new IOException(
                    "with " + variant.name() + " " + read.grantedBytes() + " bytes were read through Terrace");
        }
    }

    private void put(RoundCosts costs, ClientVariant variant, double cost) {
        costs.add(variant, cost);
        scores.progress(String.format(Locale.ROOT, "%.0f rows a second", 1e9 / cost));
    }
}
