package io.terrace.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The values of the {@link Figure}s of one component: a daemon has one, a client JVM has one.
 *
 * <p>Counters are striped adders; counting does not allocate or block. Gauges are asked when somebody looks. Thread-safe.
 */
public final class Figures {
    private final LongAdder[] counters = new LongAdder[Figure.values().length];
    private final AtomicReferenceArray<LongSupplier> gauges = new AtomicReferenceArray<>(counters.length);

    public Figures() {
        for (Figure figure : Figure.values()) {
            counters[figure.ordinal()] = new LongAdder();
        }
    }

    /** Adds to a counter. */
    public void add(Figure figure, long amount) {
        counters[figure.ordinal()].add(amount);
    }

    /** Adds one to a counter. */
    public void increment(Figure figure) {
        counters[figure.ordinal()].increment();
    }

    /** Says where a gauge's value comes from; a later source takes the place of an earlier one. */
    public void gauge(Figure figure, LongSupplier source) {
        if (figure.kind() != Figure.Kind.GAUGE) {
            throw new IllegalArgumentException(figure + " is no gauge");
        }
        gauges.set(figure.ordinal(), source);
    }

    /** The present value; a gauge without a source is 0. */
    public long value(Figure figure) {
        @Nullable LongSupplier source = gauges.get(figure.ordinal());
        return source == null ? counters[figure.ordinal()].sum() : source.getAsLong();
    }

    /** All values of one kind of process, by figure id, in the order of the list. */
    public Map<String, Long> snapshot(Figure.Where where) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Figure figure : Figure.values()) {
            if (figure.where() == where) {
                values.put(figure.id(), value(figure));
            }
        }
        return values;
    }
}
