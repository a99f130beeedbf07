package io.terrace.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/**
 * Exports a {@link MetricRegistry} to a Micrometer registry: counters as counters, gauges as gauges, each as {@code terrace.} and
 * its id, with the metric's unit and description. Only the NameNode loads this class; Micrometer is not on a client's class path.
 */
public final class MicrometerBridge {
    private static final String PREFIX = "terrace.";

    private MicrometerBridge() {}

    /** Registers all metrics of one kind of process. */
    public static void bind(MetricRegistry metricRegistry, Metric.Where where, MeterRegistry registry) {
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                bind(metricRegistry, metric, registry);
            }
        }
    }

    private static void bind(MetricRegistry metricRegistry, Metric metric, MeterRegistry registry) {
        String unit =
                metric.unit() == Metric.Unit.COUNT ? null : metric.unit().name().toLowerCase(Locale.ROOT);
        if (metric.kind() == Metric.Kind.COUNTER) {
            FunctionCounter.builder(PREFIX + metric.id(), metricRegistry, values -> values.value(metric))
                    .baseUnit(unit)
                    .description(metric.doc())
                    .register(registry);
        } else {
            Gauge.builder(PREFIX + metric.id(), metricRegistry, values -> values.value(metric))
                    .baseUnit(unit)
                    .description(metric.doc())
                    .strongReference(true)
                    .register(registry);
        }
    }
}
