package io.terrace.bench.monitoring;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test monitoring}. Without Prometheus the exit code is 2. */
@Command(
        name = "monitoring",
        mixinStandardHelpOptions = true,
        description = {
            "A Prometheus with the configuration of monitoring/ scrapes a NameNode, two DataNodes and HBase: each expression"
                    + " of the dashboard must have series, each metric of the alerts too, and sums over DataNodes must equal the"
                    + " service's figures. promtool checks and tests the alerts, and finds nothing to improve in our metrics."
                    + " Prometheus's JMX exporter with monitoring/jmx-exporter.yml must show the same names, and a DataNode"
                    + " all beans and attributes that one of stock HDFS has.",
            "Needs prometheus and promtool, as in Debian's package prometheus. Maven resolves HBase's jars and the JMX"
                    + " exporter when it is first run."
        })
public final class MonitoringTest implements Callable<Integer> {
    private static final String INTERVAL = "30s";
    private static final int SCRAPES_SECONDS = 30;
    private static final int FILES = 4;
    /** Those that are promoted and read. */
    static final String FILES_READ = "/bench/monitoring-*";

    private static final long FILE_BYTES = 8L << 20;

    @Option(names = "--prometheus", paramLabel = "DIR", description = "directory of both programs (those on the PATH)")
    private @Nullable Path programsDir;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Prometheus.Programs programs = Prometheus.Programs.find(programsDir)
                .orElseThrow(() -> testRun.usage(
                        "prometheus and promtool are not there: install the package prometheus, or unpack it and name the"
                                + " directory with --prometheus"));
        return testRun.run("monitoring", (dir, sheet) -> run(programs, dir, sheet));
    }

    private static void run(Prometheus.Programs programs, Path dir, ResultSheet sheet)
            throws IOException, InterruptedException {
        Path monitoring = TestRun.root().resolve("monitoring");
        sheet.section("Alerts by promtool");
        Path log = dir.resolve("promtool.log");
        Path alerts = monitoring.resolve("terrace-alerts.yml");
        check(sheet, "monitoring.rules.wrong", programs.check(log, alerts, "check", "rules", alerts.toString()));
        Path tests = monitoring.resolve("terrace-alerts-test.yml");
        check(sheet, "monitoring.rule_tests.failed", programs.check(log, tests, "test", "rules", tests.toString()));
        ClusterSpec spec = ClusterSpec.of(2, 128 << 20).withBlockBytes(4 << 20).withProperties(MetricsPage.SETTINGS);
        sheet.section("Stock HDFS");
        StockNames stock = StockNames.ofStock(dir.resolve("stock"), spec);
        sheet.section("A cluster with HBase");
        try (TemporaryCluster cluster = TemporaryCluster.up(dir.resolve("cluster"), spec);
                HBaseInstance hbase = new HBaseInstance(cluster.cluster(), TestRun.root(), dir.resolve("hbase"))) {
            scrape(cluster.cluster(), hbase, programs, dir, sheet);
            new ShownMetrics(cluster.cluster(), hbase, programs, dir, sheet).check(TestRun.root());
            stock.compare(StockNames.of(cluster.cluster()), sheet);
        }
    }

    private static void scrape(
            LocalCluster cluster, HBaseInstance hbase, Prometheus.Programs programs, Path run, ResultSheet sheet)
            throws IOException, InterruptedException {
        sheet.section("Scrapes of a live cluster");
        Path monitoring = TestRun.root().resolve("monitoring");
        int port = Ports.free(1, new SplittableRandom()).get(0);
        Path configuration = configuration(cluster, hbase, monitoring, run);
        try (Prometheus prometheus = Prometheus.start(programs, configuration, run, port)) {
            readFromMemory(cluster);
            hbase.read();
            JavaProcess.pause(SCRAPES_SECONDS * 1000L);
            sheet.exactly("monitoring.targets", prometheus.value("sum(up)"), 4);
            List<String> board = Board.expressions(monitoring.resolve("terrace-dashboard.json"), INTERVAL);
            sheet.note("monitoring.expressions", board.size(), "of the dashboard");
            sheet.exactly("monitoring.empty", empty(prometheus, board, sheet), 0);
            List<String> rules = prometheus.rules();
            sheet.note("monitoring.alerts", rules.size(), "");
            List<String> metrics = rules.stream()
                    .flatMap(rule -> Board.metrics(rule).stream())
                    .distinct()
                    .toList();
            sheet.exactly("monitoring.alerts.empty", empty(prometheus, metrics, sheet), 0);
            sheet.exactly(
                    "monitoring.datanodes",
                    prometheus.value("count(count by (datanode) (terrace_data_node_memory_promotions_total))"),
                    2);
            sheet.exactly(
                    "monitoring.sum.promoted",
                    prometheus.value("sum(terrace_data_node_memory_promoted_bytes_total)"
                            + " / sum(terrace_placement_promoted_bytes_total)"),
                    1);
            try (PlacementAdmin admin = new PlacementAdmin(cluster)) {
                sheet.exactly(
                        "monitoring.status.promoted",
                        prometheus.value("sum(terrace_placement_promoted_bytes_total)")
                                / admin.serviceFigures().getOrDefault("placement.promoted.bytes", 0L),
                        1);
            }
            sheet.atLeast(
                    "monitoring.hbase.bytes",
                    prometheus.value("sum(terrace_client_reported_bytes_total{job=\"terrace-hbase\"})"),
                    1);
        }
    }

    /** The files of monitoring/ as a user would put them in place: with his hosts, and a shorter interval. */
    private static Path configuration(LocalCluster cluster, HBaseInstance hbase, Path monitoring, Path run)
            throws IOException {
        String datanodes = cluster.ports().datanodes().stream()
                .map(ports -> "\"localhost:" + ports.http() + "\"")
                .collect(Collectors.joining(", "));
        String text = Files.readString(monitoring.resolve("prometheus.yml"))
                .replace("NAMENODE:9870", "localhost:" + cluster.ports().namenodeHttp())
                .replace("\"DATANODE:9864\"", datanodes)
                .replace("REGIONSERVER:16030", hbase.page())
                .replace("scrape_interval: 15s", "scrape_interval: 2s");
        Files.copy(monitoring.resolve("terrace-alerts.yml"), run.resolve("terrace-alerts.yml"));
        return Files.writeString(run.resolve("prometheus.yml"), text);
    }

    private static void readFromMemory(LocalCluster cluster) throws IOException {
        try (DistributedFileSystem fs = (DistributedFileSystem)
                        FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.conf());
                PlacementAdmin admin = new PlacementAdmin(cluster)) {
            for (org.apache.hadoop.fs.Path file : new BenchFiles(fs, 1).store("monitoring", FILES, FILE_BYTES)) {
                int unused = admin.promote(file);
                try (InputStream in = fs.open(file)) {
                    in.transferTo(java.io.OutputStream.nullOutputStream());
                }
            }
        }
    }

    private static int empty(Prometheus prometheus, List<String> expressions, ResultSheet sheet) throws IOException {
        int empty = 0;
        for (String expression : expressions) {
            if (prometheus.query(expression).isEmpty()) {
                empty++;
                sheet.progress("no series: " + expression);
            }
        }
        return empty;
    }

    private static void check(ResultSheet sheet, String figure, boolean passed) {
        sheet.exactly(figure, passed ? 0 : 1, 0);
    }
}
