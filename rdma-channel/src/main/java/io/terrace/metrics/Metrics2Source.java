package io.terrace.metrics;

import java.util.Locale;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * Shows {@link MetricRegistry} in Hadoop's metrics2, and so in JMX: context {@code terrace}, one attribute for each figure, named
 * after its id ({@code client.granted.shm.bytes} is {@code ClientGrantedShmBytes}).
 */
public final class Metrics2Source implements MetricsSource, AutoCloseable {
    private static final String CONTEXT = "terrace";

    private final MetricsSystem system;
    private final String name;
    private final MetricRegistry metricRegistry;
    private final Metric.Where where;

    private Metrics2Source(MetricsSystem system, String name, MetricRegistry metricRegistry, Metric.Where where) {
        this.system = system;
        this.name = name;
        this.metricRegistry = metricRegistry;
        this.where = where;
    }

    /**
     * Registers the figures of one kind of process.
     *
     * @param name of the source, and of the bean; unique in its metrics system
     */
    public static Metrics2Source register(
            MetricsSystem system, String name, MetricRegistry metricRegistry, Metric.Where where) {
        Metrics2Source bridge = new Metrics2Source(system, name, metricRegistry, where);
        system.register(name, "Terrace's figures", bridge);
        return bridge;
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        MetricsRecordBuilder record = collector.addRecord(name).setContext(CONTEXT);
        for (Metric metric : Metric.values()) {
            if (metric.where() != where) {
                continue;
            }
            MetricsInfo info = Interns.info(attribute(metric), metric.doc());
            if (metric.kind() == Metric.Kind.COUNTER) {
                record.addCounter(info, metricRegistry.value(metric));
            } else {
                record.addGauge(info, metricRegistry.value(metric));
            }
        }
    }

    @Override
    public void close() {
        system.unregisterSource(name);
    }

    /** The figure's name in metrics2. */
    public static String attribute(Metric metric) {
        StringBuilder attribute = new StringBuilder();
        for (String word : metric.id().split("[._-]")) {
            attribute.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return attribute.toString();
    }
}
