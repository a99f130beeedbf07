package io.terrace.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;

/**
 * Shows {@link Figures} in a Micrometer registry: counters as counters, gauges as gauges, each as {@code terrace.} and its
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
    public static void bind(Figures figures, Figure.Where where, MeterRegistry registry, String... tags) {
        Iterable<Tag> common = Tags.of(tags);
        for (Figure figure : Figure.values()) {
            if (figure.where() == where) {
                bind(figures, figure, registry, common);
            }
        }
    }

    private static void bind(Figures figures, Figure figure, MeterRegistry registry, Iterable<Tag> tags) {
        String unit =
                figure.unit() == Figure.Unit.COUNT ? null : figure.unit().name().toLowerCase(Locale.ROOT);
        if (figure.kind() == Figure.Kind.COUNTER) {
            FunctionCounter.builder(PREFIX + figure.id(), figures, values -> values.value(figure))
                    .baseUnit(unit)
                    .description(figure.doc())
                    .tags(tags)
                    .register(registry);
        } else {
            Gauge.builder(PREFIX + figure.id(), figures, values -> values.value(figure))
                    .baseUnit(unit)
                    .description(figure.doc())
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }
    }
}
