package io.terrace.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Exports a {@link MetricRegistry} to a Micrometer registry: counters as counters, gauges as gauges, each as {@code terrace.} and
 * its id, with the metric's unit and description. Times are in seconds, as Prometheus wants them. Only the NameNode loads this class; Micrometer is not on a client's class path.
 */
public final class MicrometerBridge {
    private static final String PREFIX = "terrace.";
    private static final String SECONDS = "seconds";

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
        String name = PREFIX + metric.id();
        String unit = null;
        double scale = 1;
        switch (metric.unit()) {
            case MILLISECONDS, NANOSECONDS -> {
                name = name.substring(0, name.lastIndexOf('.') + 1) + SECONDS;
                unit = SECONDS;
                scale = metric.unit() == Metric.Unit.MILLISECONDS ? 1e-3 : 1e-9;
            }
            case BYTES -> unit = "bytes";
            case COUNT -> unit = null;
        }
        double toUnit = scale;
        if (metric.kind() == Metric.Kind.COUNTER) {
            FunctionCounter.builder(name, metricRegistry, values -> values.value(metric) * toUnit)
                    .baseUnit(unit)
                    .description(metric.doc())
                    .register(registry);
        } else {
            Gauge.builder(name, metricRegistry, values -> values.value(metric) * toUnit)
                    .baseUnit(unit)
                    .description(metric.doc())
                    .strongReference(true)
                    .register(registry);
        }
    }
}
