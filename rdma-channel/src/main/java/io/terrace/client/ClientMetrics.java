package io.terrace.client;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.metrics.Metrics2Source;
import io.terrace.metrics.MetricsBean;
import io.terrace.metrics.Series;
import java.util.Map;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.slf4j.LoggerFactory;

/**
 * The metrics of this JVM's client: what it read through grants, and why it did not. They are in JMX ({@link MetricsBean}) and in
 * Hadoop's metrics2, and so on the pages {@code /jmx} and {@code /prom} of a process that starts it. Of several class loaders that
 * load the client into a JVM, each has metrics of its own; those of all but the first have the tag {@code loader}. Thread-safe.
 */
public final class ClientMetrics {
    private static final MetricRegistry METRICS = new MetricRegistry();

    static {
        Series.Tag[] loader = MetricsBean.show(METRICS, Metric.Where.CLIENT).toArray(Series.Tag[]::new);
        try {
            Metrics2Source unused =
                    Metrics2Source.register(DefaultMetricsSystem.instance(), METRICS, Metric.Where.CLIENT, loader);
        } catch (RuntimeException | LinkageError e) {
            // Reads do not need it.
            LoggerFactory.getLogger(ClientMetrics.class)
                    .info("The metrics of Terrace's client are not in Hadoop's metrics2: {}", e.toString());
        }
    }

    private ClientMetrics() {}

    /** The present value of one of the client's metrics. */
    public static long value(Metric metric) {
        return METRICS.value(metric);
    }

    /** All metrics of the client, by id. */
    public static Map<String, Long> snapshot() {
        return METRICS.snapshot(Metric.Where.CLIENT);
    }

    /** Reports to the DataNodes at once what was read so far, instead of at the next interval. */
    public static void flush() {
        LocalDataNodes.flushAll();
    }

    /** Where every part of the client counts. */
    public static MetricRegistry metricRegistry() {
        return METRICS;
    }
}
