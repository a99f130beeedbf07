package io.terrace.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The values of the {@link Metric}s of one component: a daemon has one, a client JVM has one.
 *
 * <p>Counters are striped adders; counting does not allocate or block. A gauge's source is asked when the value is. Thread-safe.
 */
public final class MetricRegistry {
    private final LongAdder[] counters = new LongAdder[Metric.values().length];
    private final AtomicReferenceArray<LongSupplier> gauges = new AtomicReferenceArray<>(counters.length);

    public MetricRegistry() {
        for (Metric metric : Metric.values()) {
            counters[metric.ordinal()] = new LongAdder();
        }
    }

    /** Adds to a counter. */
    public void add(Metric metric, long amount) {
        counters[metric.ordinal()].add(amount);
    }

    /** Adds one to a counter. */
    public void increment(Metric metric) {
        counters[metric.ordinal()].increment();
    }

    /** Says where a gauge's value comes from; a later source takes the place of an earlier one. */
    public void gauge(Metric metric, LongSupplier source) {
        if (metric.kind() != Metric.Kind.GAUGE) {
            throw new IllegalArgumentException(metric + " is no gauge");
        }
        gauges.set(metric.ordinal(), source);
    }

    /** The present value; a gauge without a source is 0. */
    public long value(Metric metric) {
        @Nullable LongSupplier source = gauges.get(metric.ordinal());
        return source == null ? counters[metric.ordinal()].sum() : source.getAsLong();
    }

    /** All values of one kind of process, by metric id, in the order of the list. */
    public Map<String, Long> snapshot(Metric.Where where) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                values.put(metric.id(), value(metric));
            }
        }
        return values;
    }
}
