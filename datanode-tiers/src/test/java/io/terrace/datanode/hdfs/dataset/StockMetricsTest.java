package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.server.Peer;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;

class StockMetricsTest {

    private static Map<String, Long> shown(DataNodeMetrics metrics) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance().getSource(metrics.name()).getMetrics(collector, true);
        Map<String, Long> shown = new HashMap<>();
        collector.getRecords().forEach(record -> {
            for (AbstractMetric metric : record.metrics()) {
                shown.put(metric.name(), metric.value().longValue());
            }
        });
        return shown;
    }

    private static Peer peer(boolean sameHost) {
        return new Peer(1, "user", "", sameHost, "test");
    }

    /** Said in one report of 40 bytes: counting them one by one would take hours. */
    @Test
    void granted_readsWithoutNumber_areCountedAtOnce() {
        DataNodeMetrics metrics = DataNodeMetrics.create(new Configuration(false), "granted");
        try {
            new StockMetrics(metrics).granted(peer(true), 1L << 40, 3L << 31);
            assertThat(shown(metrics))
                    .containsEntry("BlocksRead", 1L << 40)
                    .containsEntry("ReadsFromLocalClient", 1L << 40)
                    .containsEntry("ReadsFromRemoteClient", 0L)
                    .containsEntry("RemoteBytesRead", 0L)
                    .containsEntry("BytesRead", 3L << 31);
            new StockMetrics(metrics).granted(peer(false), 7, 1000);
            assertThat(shown(metrics))
                    .containsEntry("BlocksRead", (1L << 40) + 7)
                    .containsEntry("ReadsFromLocalClient", 1L << 40)
                    .containsEntry("ReadsFromRemoteClient", 7L)
                    .containsEntry("RemoteBytesRead", 1000L)
                    .containsEntry("BytesRead", (3L << 31) + 1000);
        } finally {
            metrics.shutdown();
        }
    }
}
