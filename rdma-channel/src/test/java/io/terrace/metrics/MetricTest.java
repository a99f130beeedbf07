package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MetricTest {
    @Test
    void list_isUniqueAndWellFormed() {
        Set<String> ids = new HashSet<>();
        for (Metric metric : Metric.values()) {
            assertThat(metric.id()).as(metric.name()).matches("[a-z0-9]+([._-][a-z0-9]+)*");
            assertThat(ids.add(metric.id())).as(metric.id()).isTrue();
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
}
