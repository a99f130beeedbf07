package io.terrace.datanode.hdfs;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.metrics.Metrics2Source;
import io.terrace.metrics.Series;
import java.io.Closeable;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The DataNode's metrics in Hadoop's metrics2. If they cannot be exported, the log says so and the DataNode serves all the same. */
final class MetricsExport implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(MetricsExport.class);

    private final @Nullable Metrics2Source metrics2;

    private MetricsExport(@Nullable Metrics2Source metrics2) {
        this.metrics2 = metrics2;
    }

    static MetricsExport show(MetricRegistry metricRegistry, String datanodeUuid) {
        try {
            return new MetricsExport(Metrics2Source.register(
                    DefaultMetricsSystem.instance(),
                    metricRegistry,
                    Metric.Where.DATANODE,
                    Series.Tag.of("datanode", datanodeUuid)));
        } catch (RuntimeException e) {
            LOG.error("Terrace's metrics are not in Hadoop's metrics2", e);
            return new MetricsExport(null);
        }
    }

    @Override
    public void close() {
        if (metrics2 != null) {
            metrics2.close();
        }
    }
}
