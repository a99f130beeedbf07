package io.terrace.metrics;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricType;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.MetricsSystem;
import org.apache.hadoop.metrics2.MetricsVisitor;
import org.apache.hadoop.metrics2.lib.Interns;

/**
 * Exports a {@link MetricRegistry} to Hadoop's metrics2, and so to its sinks and to the pages {@code /jmx} and {@code /prom}.
 *
 * <p>The context is {@code terrace} and the record that of the kind of process ({@link Metric.Where#record}), the same in each
 * process. Names and tags are those of {@link Series}. metrics2 has no tags for a single metric, so there is a source, and a JMX
 * bean, for each tag; the tags are keys of the bean's name: {@code
 * Hadoop:service=DataNode,name=TerraceDataNode,datanode=UUID,outcome=done}.
 */
public final class Metrics2Source implements AutoCloseable {
    private static final String CONTEXT = "terrace";

    private final MetricsSystem system;
    private final Deque<String> names = new ArrayDeque<>();

    private Metrics2Source(MetricsSystem system) {
        this.system = system;
    }

    /**
     * Registers the metrics of one process.
     *
     * @param tags that tell it from others in the metrics system
     */
    public static Metrics2Source register(
            MetricsSystem system, MetricRegistry metricRegistry, Metric.Where where, Series.Tag... tags) {
        Metrics2Source registered = new Metrics2Source(system);
        try {
            for (Map.Entry<List<Series.Tag>, List<Series>> group :
                    Series.byTag(where).entrySet()) {
                List<Series.Tag> all = new ArrayList<>(List.of(tags));
                all.addAll(group.getKey());
                String name = name(where, all);
                MetricsSource unused = system.register(
                        name, "Terrace's metrics", new Source(metricRegistry, where, all, group.getValue()));
                registered.names.push(name);
            }
            return registered;
        } catch (RuntimeException e) {
            registered.close();
            throw e;
        }
    }

    /** The name of a source: that of the record, and the tags as keys of the bean's name. */
    private static String name(Metric.Where where, List<Series.Tag> tags) {
        StringBuilder name = new StringBuilder(where.record());
        tags.forEach(tag -> name.append(',').append(tag));
        return name.toString();
    }

    @Override
    public void close() {
        while (!names.isEmpty()) {
            system.unregisterSource(names.pop());
        }
    }

    private record Source(
            MetricRegistry metricRegistry, Metric.Where where, List<Series.Tag> tags, List<Series> members)
            implements MetricsSource {
        @Override
        public void getMetrics(MetricsCollector collector, boolean all) {
            MetricsRecordBuilder record = collector.addRecord(where.record()).setContext(CONTEXT);
            for (Series.Tag tag : tags) {
                record.tag(Interns.info(tag.name(), "Which " + tag.name()), tag.value());
            }
            for (Series series : members) {
                MetricsInfo info = Interns.info(series.attribute(), series.doc());
                Number value = series.shown(metricRegistry.value(series.metric()));
                boolean counter = series.metric().kind() == Metric.Kind.COUNTER;
                if (value instanceof Double seconds) {
                    record.add(new Seconds(info, seconds, counter));
                } else if (counter) {
                    record.addCounter(info, value.longValue());
                } else {
                    record.addGauge(info, value.longValue());
                }
            }
        }
    }

    /** A time. metrics2's own counters have no fractions. */
    private static final class Seconds extends AbstractMetric {
        private final double seconds;
        private final boolean counter;

        Seconds(MetricsInfo info, double seconds, boolean counter) {
            super(info);
            this.seconds = seconds;
            this.counter = counter;
        }

        @Override
        public Number value() {
            return seconds;
        }

        @Override
        public MetricType type() {
            return counter ? MetricType.COUNTER : MetricType.GAUGE;
        }

        /** Visitors ask for the type of the value, and know no counter of this one. */
        @Override
        public void visit(MetricsVisitor visitor) {
            visitor.gauge(this, seconds);
        }
    }
}
