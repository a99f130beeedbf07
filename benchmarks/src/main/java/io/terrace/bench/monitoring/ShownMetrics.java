package io.terrace.bench.monitoring;

import io.terrace.bench.apps.SparkReader;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Each page that Prometheus may scrape has all metrics of its process, under their names, and is clean. */
record ShownMetrics(
        LocalCluster cluster, HBaseInstance hbase, Prometheus.Programs programs, Path dir, ResultSheet sheet) {

    void check(Path root) throws IOException, InterruptedException {
        sheet.section("Names and lines of each page");
        int namenode = cluster.ports().namenodeHttp();
        check("service", page(namenode, "/terrace/metrics"), Metric.Where.NAMENODE);
        lint("service", page(namenode, "/terrace/metrics"));
        check("namenode", page(namenode, "/prom"), Metric.Where.NAMENODE);
        lint("namenode", page(namenode, "/prom"));
        PrometheusText datanode = page(cluster.ports().datanodes().get(0).http(), "/prom");
        check("datanode", datanode, Metric.Where.DATANODE);
        lint("datanode", datanode);
        // HBase writes the type before each line of a name, which promtool refuses and Prometheus takes.
        check("hbase", PrometheusText.of("http://" + hbase.page() + "/prometheus"), Metric.Where.CLIENT);
        JmxExporter exporter = new JmxExporter(root);
        exported(exporter, "namenode", jvm(cluster.namenode()), Metric.Where.NAMENODE);
        exported(exporter, "datanode", jvm(cluster.datanode(1)), Metric.Where.DATANODE);
        exported(exporter, "hbase", hbase.regionServer(), Metric.Where.CLIENT);
        spark(exporter, root);
    }

    /** Spark has no page that Prometheus reads, and starts no metrics2: the exporter shows the MBean. */
    private void spark(JmxExporter exporter, Path root) throws IOException, InterruptedException {
        int port = Ports.free(1, new SplittableRandom()).get(0);
        try (SparkReader reader = new SparkReader(
                cluster, root, dir.resolve("spark"), MonitoringTest.FILES_READ, List.of(exporter.option(port)))) {
            PrometheusText page = PrometheusText.of("http://127.0.0.1:" + port + "/metrics");
            check("jmx.spark", page, Metric.Where.CLIENT);
            lint("jmx.spark", page);
            sheet.atLeast("monitoring.spark.bytes", page.sum("terrace_client_reported_bytes_total"), 1);
        }
    }

    private void exported(JmxExporter exporter, String name, ProcessHandle jvm, Metric.Where where)
            throws IOException, InterruptedException {
        PrometheusText page = exporter.page(jvm);
        check("jmx." + name, page, where);
        lint("jmx." + name, page);
    }

    private static PrometheusText page(int port, String path) throws IOException {
        return PrometheusText.of("http://localhost:" + port + path);
    }

    private static ProcessHandle jvm(Daemon daemon) throws IOException {
        return daemon.process().orElseThrow(() -> new ClusterException(daemon.name() + " does not run"));
    }

    private void check(String name, PrometheusText page, Metric.Where where) {
        Set<String> differences = page.differences(where);
        differences.forEach(difference -> sheet.progress(page.from() + " " + difference));
        sheet.exactly("monitoring.names." + name + ".differ", differences.size(), 0);
    }

    private void lint(String name, PrometheusText page) throws IOException, InterruptedException {
        Path lines = Files.writeString(dir.resolve("page-" + name), page.ours());
        boolean clean = programs.check(dir.resolve("promtool.log"), lines, "check", "metrics");
        sheet.exactly("monitoring.lint." + name + ".failed", clean ? 0 : 1, 0);
    }
}
