package io.terrace.client;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.Map;

/** What this JVM's client read through grants, and why it did not, as running totals. Thread-safe. */
public final class ClientMetrics {
    private static final MetricRegistry FIGURES = new MetricRegistry();

    private ClientMetrics() {}

    /** The present value of one figure of the client. */
    public static long value(Metric metric) {
        return FIGURES.value(metric);
    }

    /** All figures of the client, by id. */
    public static Map<String, Long> snapshot() {
        return FIGURES.snapshot(Metric.Where.CLIENT);
    }

    /** Reports to the DataNodes at once what was read so far, instead of at the next interval. */
    public static void flush() {
        LocalDataNodes.flushAll();
    }

    /** Where every part of the client counts. */
    public static MetricRegistry metricRegistry() {
        return FIGURES;
    }
}
