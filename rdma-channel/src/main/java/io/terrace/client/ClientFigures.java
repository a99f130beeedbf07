package io.terrace.client;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.util.Map;

/** What this JVM's client read through grants, and why it did not, as running totals. Thread-safe. */
public final class ClientFigures {
    private static final Figures FIGURES = new Figures();

    private ClientFigures() {}

    /** The present value of one figure of the client. */
    public static long value(Figure figure) {
        return FIGURES.value(figure);
    }

    /** All figures of the client, by id. */
    public static Map<String, Long> snapshot() {
        return FIGURES.snapshot(Figure.Where.CLIENT);
    }

    /** Reports to the DataNodes at once what was read so far, instead of at the next interval. */
    public static void flush() {
        LocalMemory.flushAll();
    }

    /** Where every part of the client counts. */
    public static Figures figures() {
        return FIGURES;
    }
}
