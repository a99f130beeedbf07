package io.terrace.metrics;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The values of the {@link Metric}s of one component: a daemon has one, a client JVM has one.
 *
 * <p>Counters are striped adders; counting does not allocate or block. A gauge's source is asked when the value is. Thread-safe.
 */
public final class MetricRegistry {
    private static final Map<Metric.Where, List<Metric>> BY_PROCESS = byProcess();

    private final LongAdder[] counters = new LongAdder[Metric.values().length];
    private final AtomicReferenceArray<LongSupplier> gauges = new AtomicReferenceArray<>(counters.length);

    public MetricRegistry() {
        for (Metric metric : Metric.values()) {
            counters[metric.ordinal()] = new LongAdder();
        }
    }

    private static Map<Metric.Where, List<Metric>> byProcess() {
        Map<Metric.Where, List<Metric>> metrics = new EnumMap<>(Metric.Where.class);
        for (Metric.Where where : Metric.Where.values()) {
            metrics.put(
                    where,
                    Arrays.stream(Metric.values())
                            .filter(metric -> metric.where() == where)
                            .toList());
        }
        return metrics;
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
        forEach(where, (metric, value) -> values.put(metric.id(), value));
        return values;
    }

    /** Tells all values of one kind of process, in the order of the list. */
    public void forEach(Metric.Where where, ObjLongConsumer<Metric> consumer) {
        for (Metric metric : BY_PROCESS.getOrDefault(where, List.of())) {
            consumer.accept(metric, value(metric));
        }
    }
}
