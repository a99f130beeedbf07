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

class FigureTest {
    @Test
    void list_isUniqueAndWellFormed() {
        Set<String> ids = new HashSet<>();
        Set<String> attributes = new HashSet<>();
        for (Figure figure : Figure.values()) {
            assertThat(figure.id()).as(figure.name()).matches("[a-z0-9]+([._-][a-z0-9]+)*");
            assertThat(ids.add(figure.id())).as(figure.id()).isTrue();
            assertThat(attributes.add(Metrics2Bridge.attribute(figure)))
                    .as(figure.id())
                    .isTrue();
            assertThat(figure.doc()).as(figure.name()).endsWith(".").doesNotContain("|", "\n");
            assertThat(Figure.byId(figure.id())).isSameAs(figure);
        }
        assertThat(Figure.byId("no.such.figure")).isNull();
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
        Figures figures = new Figures();
        assertThatThrownBy(() -> figures.gauge(Figure.CHANNEL_GRANTS, () -> 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(figures.value(Figure.CHANNEL_CONNECTIONS)).isZero();
        figures.gauge(Figure.CHANNEL_CONNECTIONS, () -> 5);
        assertThat(figures.snapshot(Figure.Where.DATANODE)).containsEntry("channel.connections", 5L);
    }

    @Test
    void prometheus_showsEveryFigureOfItsProcess() throws Exception {
        Figures figures = new Figures();
        figures.add(Figure.CHANNEL_GRANTS, 41);
        figures.gauge(Figure.CHANNEL_CONNECTIONS, () -> 3);
        try (PrometheusEndpoint endpoint =
                PrometheusEndpoint.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            MicrometerBridge.bind(figures, Figure.Where.DATANODE, endpoint.registry(), "datanode", "dn-1");
            String text = get(endpoint, "/metrics").body();
            assertThat(text)
                    .contains("terrace_channel_grants_total{datanode=\"dn-1\"} 41.0")
                    .contains("terrace_channel_connections{datanode=\"dn-1\"} 3.0");
            for (Figure figure : Figure.values()) {
                String name = "terrace_"
                        + figure.id().toLowerCase(Locale.ROOT).replace('.', '_').replace('-', '_');
                assertThat(text.contains(name)).as(name).isEqualTo(figure.where() == Figure.Where.DATANODE);
            }
            assertThat(get(endpoint, "/metrics/other").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void metrics2_showsEveryFigureOfItsProcess() {
        Figures figures = new Figures();
        figures.add(Figure.CHANNEL_GRANTS, 7);
        MetricsSystemImpl system = new MetricsSystemImpl("test");
        try (Metrics2Bridge bridge =
                Metrics2Bridge.register(system, "TerraceDataNode", figures, Figure.Where.DATANODE)) {
            MetricsCollectorImpl collector = new MetricsCollectorImpl();
            bridge.getMetrics(collector, true);
            MetricsRecord record = collector.getRecords().get(0);
            assertThat(record.context()).isEqualTo("terrace");
            assertThat(record.metrics())
                    .anySatisfy(metric -> {
                        assertThat(metric.name()).isEqualTo("ChannelGrants");
                        assertThat(metric.value()).isEqualTo(7L);
                    })
                    .hasSize((int) java.util.Arrays.stream(Figure.values())
                            .filter(figure -> figure.where() == Figure.Where.DATANODE)
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
