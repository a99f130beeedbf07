package io.terrace.placement.state;

import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveOutcome;

/** The metric that counts moves between volumes with an outcome. */
final class VolumeMoveMetrics {

    private VolumeMoveMetrics() {}

    static Metric of(MoveOutcome outcome) {
        return switch (outcome) {
            case DONE -> Metric.PLACEMENT_VOLUME_MOVES_DONE;
            case NO_ROOM -> Metric.PLACEMENT_VOLUME_MOVES_NO_ROOM;
            case NOT_HERE -> Metric.PLACEMENT_VOLUME_MOVES_NOT_HERE;
            case CHANGED -> Metric.PLACEMENT_VOLUME_MOVES_CHANGED;
            case CORRUPT -> Metric.PLACEMENT_VOLUME_MOVES_CORRUPT;
            case PINNED, REFUSED -> Metric.PLACEMENT_VOLUME_MOVES_REFUSED;
            case FAILED -> Metric.PLACEMENT_VOLUME_MOVES_FAILED;
            case LOST -> Metric.PLACEMENT_VOLUME_MOVES_LOST;
            case UNFIT -> Metric.PLACEMENT_VOLUME_MOVES_UNFIT;
            case CANCELLED, EXPIRED -> Metric.PLACEMENT_VOLUME_MOVES_WITHDRAWN;
        };
    }
}
