package io.terrace.placement.report;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.state.OperatorState;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine's status, published at the end of each turn and after each change by an operator.
 *
 * @param releases how many live DataNodes have which release of Terrace; the empty one is of those that do not say
 * @param volumeMovesStopped why no replica is moved between volumes, by the state of the NameNode; null if they are
 */
public record EngineStatus(
        boolean active,
        long epoch,
        OperatorState operatorState,
        String policy,
        int datanodes,
        int silent,
        int tracked,
        long resident,
        int pinned,
        long pinnedLeftOut,
        int waiting,
        int inFlight,
        int volumeMovesWaiting,
        int volumeMovesInFlight,
        long memoryBytes,
        int tiersLeft,
        SortedMap<String, Integer> releases,
        @Nullable String volumeMovesStopped) {

    /** Connects the placement gauges to the latest status. */
    public static void publish(MetricRegistry metricRegistry, Supplier<EngineStatus> latest) {
        metricRegistry.gauge(Metric.PLACEMENT_ACTIVE, () -> latest.get().active ? 1 : 0);
        metricRegistry.gauge(Metric.PLACEMENT_OFF, () -> {
            EngineStatus status = latest.get();
            return status.active && !status.operatorState.serve() ? 1 : 0;
        });
        metricRegistry.gauge(Metric.PLACEMENT_PAUSED, () -> {
            EngineStatus status = latest.get();
            return status.active && !status.operatorState.mayMove() ? 1 : 0;
        });
        metricRegistry.gauge(Metric.PLACEMENT_EPOCH, () -> latest.get().epoch);
        metricRegistry.gauge(Metric.PLACEMENT_DATANODES, () -> latest.get().datanodes);
        metricRegistry.gauge(Metric.PLACEMENT_DATANODES_SILENT, () -> latest.get().silent);
        metricRegistry.gauge(Metric.PLACEMENT_BLOCKS_TRACKED, () -> latest.get().tracked);
        metricRegistry.gauge(Metric.PLACEMENT_BLOCKS_RESIDENT, () -> latest.get().resident);
        metricRegistry.gauge(Metric.PLACEMENT_BLOCKS_PINNED, () -> latest.get().pinned);
        metricRegistry.gauge(Metric.PLACEMENT_BLOCKS_PINNED_LEFT_OUT, () -> latest.get().pinnedLeftOut);
        metricRegistry.gauge(Metric.PLACEMENT_MOVES_WAITING, () -> latest.get().waiting);
        metricRegistry.gauge(Metric.PLACEMENT_MOVES_IN_FLIGHT, () -> latest.get().inFlight);
        metricRegistry.gauge(Metric.PLACEMENT_VOLUME_MOVES_WAITING, () -> latest.get().volumeMovesWaiting);
        metricRegistry.gauge(Metric.PLACEMENT_VOLUME_MOVES_IN_FLIGHT, () -> latest.get().volumeMovesInFlight);
        metricRegistry.gauge(Metric.PLACEMENT_TIERS_LEFT, () -> latest.get().tiersLeft);
        metricRegistry.gauge(Metric.PLACEMENT_MEMORY_BYTES, () -> latest.get().memoryBytes);
    }
}
