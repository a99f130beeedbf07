package io.terrace.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/**
 * Shows {@link MetricRegistry} in a Micrometer registry: counters as counters, gauges as gauges, each as {@code terrace.} and its
 * id, with the figure's unit and doc. Only daemons load this class; Micrometer is not on a client's class path.
 */
public final class MicrometerBridge {
    private static final String PREFIX = "terrace.";

    private MicrometerBridge() {}

    /**
     * Registers all figures of one kind of process.
     *
     * @param tags names and values by turns, such as {@code datanode} and its uuid where a JVM holds several
     */
    public static void bind(MetricRegistry metricRegistry, Metric.Where where, MeterRegistry registry, String... tags) {
        Iterable<Tag> common = Tags.of(tags);
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                bind(metricRegistry, metric, registry, common);
            }
        }
    }

    private static void bind(MetricRegistry metricRegistry, Metric metric, MeterRegistry registry, Iterable<Tag> tags) {
        String unit =
                metric.unit() == Metric.Unit.COUNT ? null : metric.unit().name().toLowerCase(Locale.ROOT);
        if (metric.kind() == Metric.Kind.COUNTER) {
            FunctionCounter.builder(PREFIX + metric.id(), metricRegistry, values -> values.value(metric))
                    .baseUnit(unit)
                    .description(metric.doc())
                    .tags(tags)
                    .register(registry);
        } else {
            Gauge.builder(PREFIX + metric.id(), metricRegistry, values -> values.value(metric))
                    .baseUnit(unit)
                    .description(metric.doc())
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }
    }
}
