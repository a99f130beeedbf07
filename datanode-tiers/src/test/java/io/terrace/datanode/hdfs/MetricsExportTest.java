package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;

class MetricsExportTest {
    private static final String SOURCE = "TerraceDataNode,datanode=dn-1";

    @Test
    void show_isASourceUntilItIsClosed() {
        try (MetricsExport export = MetricsExport.show(new MetricRegistry(), "dn-1")) {
            assertThat(export).isNotNull();
            assertThat(DefaultMetricsSystem.instance().getSource(SOURCE)).isNotNull();
        }
        assertThat(DefaultMetricsSystem.instance().getSource(SOURCE)).isNull();
    }
}
