package io.terrace.placement;

import io.terrace.metrics.MetricRegistry;
import java.util.concurrent.TimeUnit;

/** A loop whose callers hardly wait for a change that began. */
public final class ImpatientLoop {

    private static final int INTERVAL_MS = 10;
    private static final long BEGUN_TIMEOUT_MS = 50;

    private ImpatientLoop() {}

    public static PlacementLoop make(PlacementEngine placement, Leadership leadership) {
        return new PlacementLoop(
                placement,
                leadership,
                new MetricRegistry(),
                INTERVAL_MS,
                BEGUN_TIMEOUT_MS,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }
}
