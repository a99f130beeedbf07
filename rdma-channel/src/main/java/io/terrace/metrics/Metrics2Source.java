package io.terrace.metrics;

import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.lib.Interns;
import org.jspecify.annotations.Nullable;

/**
 * Exports a {@link MetricRegistry} to Hadoop's metrics2, and so to its sinks and to the pages {@code /jmx} and {@code /prom}.
 *
 * <p>The context is {@code terrace} and the record that of the kind of process ({@link Metric.Where#record}), the same in each
 * process, so that sinks can aggregate. A tag tells daemons apart. A metric is named after its id: {@code
 * client.granted.shm.bytes} is {@code ClientGrantedShmBytes}.
 */
public final class Metrics2Source implements MetricsSource, AutoCloseable {
    private static final String CONTEXT = "terrace";

    /** Hadoop escapes the values of tags neither in {@code /prom} nor in the names of JMX beans. */
    private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

    private final MetricsSystem system;
    private final String name;
    private final MetricRegistry metricRegistry;
    private final Metric.Where where;
    private final @Nullable MetricsTag tag;

    private Metrics2Source(
            MetricsSystem system, MetricRegistry metricRegistry, Metric.Where where, @Nullable MetricsTag tag) {
        this.system = system;
        this.name = tag == null ? where.record() : where.record() + "-" + tag.value();
        this.metricRegistry = metricRegistry;
        this.where = where;
        this.tag = tag;
    }

    /** Registers the metrics of a process that has them once; the source, and so the JMX bean, has the record's name. */
    public static Metrics2Source register(MetricsSystem system, MetricRegistry metricRegistry, Metric.Where where) {
        return new Metrics2Source(system, metricRegistry, where, null).registered();
    }

    /**
     * Registers the metrics of one daemon. The source, and so the JMX bean, has the record's name, a hyphen and the tag's value.
     *
     * @param tag name of the tag
     * @param value unique in the metrics system; any character but letters, digits, dots, hyphens and underscores becomes an
     *     underscore
     */
    public static Metrics2Source register(
            MetricsSystem system, MetricRegistry metricRegistry, Metric.Where where, String tag, String value) {
        MetricsInfo info = Interns.info(tag, "Which " + where.record());
        String safe = UNSAFE.matcher(value).replaceAll("_");
        return new Metrics2Source(system, metricRegistry, where, Interns.tag(info, safe)).registered();
    }

    private Metrics2Source registered() {
        return system.register(name, "Terrace's metrics", this);
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        MetricsRecordBuilder record = collector.addRecord(where.record()).setContext(CONTEXT);
        if (tag != null) {
            record.add(tag);
        }
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

    /** The metric's name in metrics2. */
    public static String attribute(Metric metric) {
        StringBuilder attribute = new StringBuilder();
        for (String word : metric.id().split("[._-]")) {
            attribute.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return attribute.toString();
    }
}
