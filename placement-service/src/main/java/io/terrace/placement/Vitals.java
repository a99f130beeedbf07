package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.util.function.Supplier;

/** What the loop shows of itself: at the end of a turn, and when an operator has changed something. */
public record Vitals(
        boolean active,
        long epoch,
        StandingOrders orders,
        String policy,
        int datanodes,
        int silent,
        int tracked,
        long resident,
        int pinned,
        int waiting,
        int inFlight,
        long memoryBytes) {

    /** Connects the placement gauges to the latest vitals. */
    static void publish(Figures figures, Supplier<Vitals> latest) {
        figures.gauge(Figure.PLACEMENT_ACTIVE, () -> latest.get().active ? 1 : 0);
        figures.gauge(Figure.PLACEMENT_EPOCH, () -> latest.get().epoch);
        figures.gauge(Figure.PLACEMENT_DATANODES, () -> latest.get().datanodes);
        figures.gauge(Figure.PLACEMENT_DATANODES_SILENT, () -> latest.get().silent);
        figures.gauge(Figure.PLACEMENT_BLOCKS_TRACKED, () -> latest.get().tracked);
        figures.gauge(Figure.PLACEMENT_BLOCKS_RESIDENT, () -> latest.get().resident);
        figures.gauge(Figure.PLACEMENT_BLOCKS_PINNED, () -> latest.get().pinned);
        figures.gauge(Figure.PLACEMENT_MOVES_WAITING, () -> latest.get().waiting);
        figures.gauge(Figure.PLACEMENT_MOVES_IN_FLIGHT, () -> latest.get().inFlight);
        figures.gauge(Figure.PLACEMENT_MEMORY_BYTES, () -> latest.get().memoryBytes);
    }
}
