package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.junit.jupiter.api.Test;

class MetricTest {
    @Test
    void list_isUniqueAndWellFormed() {
        Set<String> ids = new HashSet<>();
        Set<String> attributes = new HashSet<>();
        for (Metric figure : Metric.values()) {
            assertThat(figure.id()).as(figure.name()).matches("[a-z0-9]+([._-][a-z0-9]+)*");
            assertThat(ids.add(figure.id())).as(figure.id()).isTrue();
            assertThat(attributes.add(Metrics2Source.attribute(figure)))
                    .as(figure.id())
                    .isTrue();
            assertThat(figure.doc()).as(figure.name()).endsWith(".").doesNotContain("|", "\n");
            assertThat(Metric.byId(figure.id())).isSameAs(figure);
        }
        assertThat(Metric.byId("no.such.figure")).isNull();
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
    void prometheus_showsEveryFigureOfItsProcess() throws Exception {
        MetricRegistry metricRegistry = new MetricRegistry();
        metricRegistry.add(Metric.CHANNEL_GRANTS, 41);
        metricRegistry.gauge(Metric.CHANNEL_CONNECTIONS, () -> 3);
        try (PrometheusEndpoint endpoint =
                PrometheusEndpoint.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            MicrometerBridge.bind(metricRegistry, Metric.Where.DATANODE, endpoint.registry(), "datanode", "dn-1");
            String text = get(endpoint, "/metrics").body();
            assertThat(text)
                    .contains("terrace_channel_grants_total{datanode=\"dn-1\"} 41.0")
                    .contains("terrace_channel_connections{datanode=\"dn-1\"} 3.0");
            for (Metric figure : Metric.values()) {
                String name = "terrace_"
                        + figure.id().toLowerCase(Locale.ROOT).replace('.', '_').replace('-', '_');
                assertThat(text.contains(name)).as(name).isEqualTo(figure.where() == Metric.Where.DATANODE);
            }
            assertThat(get(endpoint, "/metrics/other").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void metrics2_showsEveryFigureOfItsProcess() {
        MetricRegistry metricRegistry = new MetricRegistry();
        metricRegistry.add(Metric.CHANNEL_GRANTS, 7);
        MetricsSystemImpl system = new MetricsSystemImpl("test");
        try (Metrics2Source bridge =
                Metrics2Source.register(system, "TerraceDataNode", metricRegistry, Metric.Where.DATANODE)) {
            MetricsCollectorImpl collector = new MetricsCollectorImpl();
            bridge.getMetrics(collector, true);
            MetricsRecord record = collector.getRecords().get(0);
            assertThat(record.context()).isEqualTo("terrace");
            assertThat(record.metrics())
                    .anySatisfy(metric -> {
                        assertThat(metric.name()).isEqualTo("ChannelGrants");
                        assertThat(metric.value()).isEqualTo(7L);
                    })
                    .hasSize((int) java.util.Arrays.stream(Metric.values())
                            .filter(figure -> figure.where() == Metric.Where.DATANODE)
                            .count());
        }
    }

    private static HttpResponse<String> get(PrometheusEndpoint endpoint, String path) throws Exception {
        URI uri = URI.create("http://" + endpoint.address().getAddress().getHostAddress() + ":"
                + endpoint.address().getPort() + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
