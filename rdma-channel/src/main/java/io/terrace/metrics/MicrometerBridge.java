package io.terrace.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Exports a {@link MetricRegistry} to a Micrometer registry, under the names and tags of {@link Series}. Only the NameNode loads
 * this class; Micrometer is not on a client's class path.
 */
public final class MicrometerBridge {
    private MicrometerBridge() {}

    /** Registers all metrics of one kind of process. */
    public static void bind(MetricRegistry metricRegistry, Metric.Where where, MeterRegistry registry) {
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                bind(metricRegistry, Series.of(metric), registry);
            }
        }
    }

    private static void bind(MetricRegistry metricRegistry, Series series, MeterRegistry registry) {
        Metric metric = series.metric();
        // Micrometer makes underscores of dots, and adds the end of a counter's name.
        String name = metric.where().prometheusPrefix() + series.name();
        Series.Tag tag = series.tag();
        Tags tags = tag == null ? Tags.empty() : Tags.of(tag.name(), tag.value());
        if (metric.kind() == Metric.Kind.COUNTER) {
            FunctionCounter.builder(name, metricRegistry, values -> shown(values, series))
                    .baseUnit(series.unit())
                    .tags(tags)
                    .description(series.doc())
                    .register(registry);
        } else {
            Gauge.builder(name, metricRegistry, values -> shown(values, series))
                    .baseUnit(series.unit())
                    .tags(tags)
                    .description(series.doc())
                    .strongReference(true)
                    .register(registry);
        }
    }

    private static double shown(MetricRegistry values, Series series) {
        return series.shown(values.value(series.metric())).doubleValue();
    }
}
