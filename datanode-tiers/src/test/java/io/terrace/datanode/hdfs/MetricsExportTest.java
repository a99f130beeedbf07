package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.MetricRegistry;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MetricsExportTest {
    private static final String SOURCE = "TerraceDataNode,datanode=dn-1";

    @Test
    void addressOfTheFormerPage_isAWarning_andNothingListens() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertThat(logOf("localhost:" + port).lines())
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains(
                        TerraceSettings.DATANODE_METRICS_ADDRESS.key(),
                        "/jmx",
                        "/prom",
                        "hadoop.prometheus.endpoint.enabled");
        try (MetricsExport export = export("localhost:" + port);
                ServerSocket own = new ServerSocket()) {
            assertThat(export).isNotNull();
            own.bind(new InetSocketAddress("localhost", port));
        }
    }

    @Test
    void withoutTheFormerSetting_thereIsNoWarning_andASourceUntilClosed() {
        assertThat(logOf("")).isEmpty();
        try (MetricsExport export = export("")) {
            assertThat(export).isNotNull();
            assertThat(DefaultMetricsSystem.instance().getSource(SOURCE)).isNotNull();
        }
        assertThat(DefaultMetricsSystem.instance().getSource(SOURCE)).isNull();
    }

    private static String logOf(String address) {
        LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(MetricsExport.class));
        try (MetricsExport export = export(address)) {
            assertThat(export).isNotNull();
        } finally {
            log.stopCapturing();
        }
        return log.getOutput();
    }

    private static MetricsExport export(String address) {
        Configuration conf = new Configuration(false);
        conf.set(TerraceSettings.DATANODE_METRICS_ADDRESS.key(), address);
        return MetricsExport.show(new MetricRegistry(), new DataNodeConfig(conf), "dn-1");
    }
}
