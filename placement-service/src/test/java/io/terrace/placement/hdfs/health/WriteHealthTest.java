package io.terrace.placement.hdfs.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.report.NodeReport;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What doctor says of writes over the channel, by the figures of the DataNodes. */
class WriteHealthTest {

    private static NodeReport node(Map<Metric, Long> figures) {
        Map<String, Long> byId = figures.entrySet().stream()
                .collect(Collectors.toMap(figure -> figure.getKey().id(), Map.Entry::getValue));
        return new NodeReport(
                "uuid", "dn:1", true, true, true, 0, 0, List.of(), 0, 0, 0, 0, List.of(), List.of(), byId, "");
    }

    @Test
    void firstDataNode_isNotedWhereStockChoosesIt() {
        List<NodeReport> written = List.of(node(Map.of(Metric.CHANNEL_WRITE_BLOCKS, 1L)), node(Map.of()));
        assertThat(HealthChecks.firstDataNode(false, written))
                .extracting(HealthFinding::id)
                .isEqualTo("namenode.first-datanode-class");
        assertThat(HealthChecks.firstDataNode(true, written)).isNull();
        assertThat(HealthChecks.firstDataNode(false, List.of(node(Map.of()), node(Map.of()))))
                .as("nobody writes over the channel")
                .isNull();
        assertThat(HealthChecks.firstDataNode(false, written.subList(0, 1)))
                .as("one DataNode")
                .isNull();
    }

    @Test
    void writes_turnedAway_areWarnedOf() {
        assertThat(HealthChecks.writes(node(Map.of(Metric.CHANNEL_WRITE_CONNECTIONS_REFUSED, 3L))))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text()).contains("3 connections", "the half that one user"))
                .satisfies(finding -> assertThat(finding.remedy()).contains("ends when the DataNode restarts"))
                .extracting(HealthFinding::id)
                .isEqualTo("datanode.writes-turned-away");
    }

    @Test
    void writes_refusedAndFailed_areToldByTheirShare() {
        assertThat(HealthChecks.writes(node(Map.of(
                        Metric.CHANNEL_WRITE_BLOCKS, 80L,
                        Metric.CHANNEL_WRITE_REFUSED, 15L,
                        Metric.CHANNEL_WRITE_FAILED, 5L))))
                .singleElement()
                .extracting(HealthFinding::text)
                .asString()
                .contains("of 100 blocks", "refused 15 %", "did not finish 5 %");
        assertThat(HealthChecks.writes(
                        node(Map.of(Metric.CHANNEL_WRITE_BLOCKS, 980L, Metric.CHANNEL_WRITE_REFUSED, 20L))))
                .isEmpty();
        assertThat(HealthChecks.writes(node(Map.of(Metric.CHANNEL_WRITE_REFUSED, 99L))))
                .as("too few")
                .isEmpty();
    }
}
