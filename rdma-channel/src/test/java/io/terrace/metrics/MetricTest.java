package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;
import org.junit.jupiter.api.Test;

class MetricTest {
    @Test
    void list_isUniqueAndWellFormed() {
        Set<String> ids = new HashSet<>();
        Set<String> attributes = new HashSet<>();
        for (Metric metric : Metric.values()) {
            assertThat(metric.id()).as(metric.name()).matches("[a-z0-9]+([._-][a-z0-9]+)*");
            assertThat(ids.add(metric.id())).as(metric.id()).isTrue();
            assertThat(attributes.add(Metrics2Source.attribute(metric)))
                    .as(metric.id())
                    .isTrue();
            assertThat(metric.doc()).as(metric.name()).endsWith(".").doesNotContain("|", "\n");
            assertThat(Metric.byId(metric.id())).isSameAs(metric);
        }
        assertThat(Metric.byId("no.such.metric")).isNull();
    }

    @Test
    void page_isWhatTheListSays() throws IOException {
        // The text as it should be lies beside the test's reports, so that bringing the page up to date is one copy.
        Path generated = Files.writeString(Path.of("target", "metrics.md"), MetricsPage.text());
        assertThat(Path.of("..", "docs", "metrics.md"))
                .as("docs/metrics.md is stale: cp rdma-channel/target/metrics.md docs/metrics.md")
                .hasSameTextualContentAs(generated);
    }

    @Test
    void gauge_ofACounter_isRefused_andAnUnsetGaugeIsZero() {
        MetricRegistry metricRegistry = new MetricRegistry();
        assertThatThrownBy(() -> metricRegistry.gauge(Metric.CHANNEL_GRANTS, () -> 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(metricRegistry.value(Metric.CHANNEL_CONNECTIONS)).isZero();
        metricRegistry.gauge(Metric.CHANNEL_CONNECTIONS, () -> 5);
        assertThat(metricRegistry.snapshot(Metric.Where.DATANODE)).containsEntry("channel.connections", 5L);
    }

    @Test
    void micrometer_exportsEveryMetricOfItsProcess() {
        MetricRegistry metricRegistry = new MetricRegistry();
        metricRegistry.add(Metric.CHANNEL_GRANTS, 41);
        metricRegistry.gauge(Metric.CHANNEL_CONNECTIONS, () -> 3);
        metricRegistry.add(Metric.MEMORY_PROMOTED_MS, 1500);
        PrometheusMeterRegistry exported = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerBridge.bind(metricRegistry, Metric.Where.DATANODE, exported);
        String text = exported.scrape();
        assertThat(text)
                .contains("terrace_channel_grants_total 41.0")
                .contains("terrace_channel_connections 3.0")
                .contains("terrace_memory_promoted_seconds_total 1.5");
        for (Metric metric : Metric.values()) {
            String name = "terrace_" + underscored(metric).replaceAll("(milli|nano)seconds$", "seconds");
            assertThat(text.contains(name)).as(name).isEqualTo(metric.where() == Metric.Where.DATANODE);
        }
    }

    @Test
    void metrics2_exportsEveryMetricOfItsProcess() {
        MetricRegistry metricRegistry = new MetricRegistry();
        metricRegistry.add(Metric.CHANNEL_GRANTS, 7);
        MetricsRecord record = record(metricRegistry, "dn-1");
        assertThat(record.context()).isEqualTo("terrace");
        assertThat(record.metrics())
                .anySatisfy(metric -> {
                    assertThat(metric.name()).isEqualTo("ChannelGrants");
                    assertThat(metric.value()).isEqualTo(7L);
                })
                .hasSize((int) Stream.of(Metric.values())
                        .filter(metric -> metric.where() == Metric.Where.DATANODE)
                        .count());
    }

    @Test
    void metrics2_recordOfEveryDataNode_hasTheSameName_andATagThatTellsThemApart() {
        MetricsRecord one = record(new MetricRegistry(), "dn-1");
        MetricsRecord other = record(new MetricRegistry(), "dn \"2\"");
        assertThat(one.name()).isEqualTo("TerraceDataNode").isEqualTo(other.name());
        assertThat(tag(one)).isEqualTo("dn-1");
        assertThat(tag(other)).as("/prom escapes nothing").isEqualTo("dn__2_");
    }

    @Test
    void metrics2_sources_ofTwoDaemonsOfAJvm_areBothThereUntilClosed() {
        MetricsSystemImpl system = new MetricsSystemImpl("test");
        try (Metrics2Source one = source(system, "dn-1");
                Metrics2Source other = source(system, "dn-2")) {
            assertThat(system.getSource("TerraceDataNode-dn-1")).isSameAs(one);
            assertThat(system.getSource("TerraceDataNode-dn-2")).isSameAs(other);
        }
        assertThat(system.getSource("TerraceDataNode-dn-1")).isNull();
    }

    @Test
    void prometheusNames_areTheRecordAndTheId() {
        PrometheusMetricsSink prometheus = new PrometheusMetricsSink();
        Map<Metric.Where, String> prefixes = Map.of(
                Metric.Where.CLIENT, "terrace_client_",
                Metric.Where.DATANODE, "terrace_data_node_",
                Metric.Where.NAMENODE, "terrace_placement_");
        for (Metric metric : Metric.values()) {
            assertThat(prometheus.prometheusName(metric.where().record(), Metrics2Source.attribute(metric)))
                    .isEqualTo(prefixes.get(metric.where()) + underscored(metric));
        }
    }

    private static Metrics2Source source(MetricsSystem system, String uuid) {
        return Metrics2Source.register(system, new MetricRegistry(), Metric.Where.DATANODE, "datanode", uuid);
    }

    private static MetricsRecord record(MetricRegistry metricRegistry, String uuid) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        try (Metrics2Source source = Metrics2Source.register(
                new MetricsSystemImpl("test"), metricRegistry, Metric.Where.DATANODE, "datanode", uuid)) {
            source.getMetrics(collector, true);
        }
        return collector.getRecords().get(0);
    }

    private static String tag(MetricsRecord record) {
        return record.tags().stream()
                .filter(tag -> tag.name().equals("datanode"))
                .map(MetricsTag::value)
                .findFirst()
                .orElseThrow();
    }

    private static String underscored(Metric metric) {
        return metric.id().toLowerCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
