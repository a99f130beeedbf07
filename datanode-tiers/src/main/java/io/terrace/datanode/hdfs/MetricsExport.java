package io.terrace.datanode.hdfs;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.metrics.Metrics2Source;
import io.terrace.metrics.MicrometerBridge;
import io.terrace.metrics.PrometheusEndpoint;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNode's figures in Hadoop's metrics2 and JMX, and as Prometheus text where an address is set. Showing them is
 * never a reason not to serve: what cannot be shown is a line in the log.
 */
final class MetricsExport implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsExport.class);

    private final @Nullable Metrics2Source metrics2;
    private final @Nullable AutoCloseable prometheus;

    private MetricsExport(@Nullable Metrics2Source metrics2, @Nullable AutoCloseable prometheus) {
        this.metrics2 = metrics2;
        this.prometheus = prometheus;
    }

    static MetricsExport show(MetricRegistry metricRegistry, DataNodeConfig settings, String datanodeUuid) {
        return new MetricsExport(
                metrics2(metricRegistry, datanodeUuid), prometheus(metricRegistry, settings, datanodeUuid));
    }

    private static @Nullable Metrics2Source metrics2(MetricRegistry metricRegistry, String datanodeUuid) {
        try {
            return Metrics2Source.register(
                    DefaultMetricsSystem.instance(), "Terrace-" + datanodeUuid, metricRegistry, Metric.Where.DATANODE);
        } catch (RuntimeException e) {
            LOG.error("Terrace's figures are not in metrics2", e);
            return null;
        }
    }

    private static @Nullable AutoCloseable prometheus(
            MetricRegistry metricRegistry, DataNodeConfig settings, String datanodeUuid) {
        String address = settings.metricsAddress();
        if (address.isEmpty()) {
            return null;
        }
        try {
            InetSocketAddress where = NetUtils.createSocketAddr(address, -1, DataNodeConfig.METRICS_ADDRESS);
            PrometheusEndpoint endpoint = PrometheusEndpoint.start(where);
            MicrometerBridge.bind(metricRegistry, Metric.Where.DATANODE, endpoint.registry(), "datanode", datanodeUuid);
            LOG.info("Figures are shown at {}", endpoint.address());
            return endpoint;
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.error("No figures are shown at {}={}", DataNodeConfig.METRICS_ADDRESS, address, e);
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        if (metrics2 != null) {
            metrics2.close();
        }
        if (prometheus != null) {
            try {
                prometheus.close();
            } catch (Exception e) {
                throw new IOException("closing the Prometheus endpoint", e);
            }
        }
    }
}
