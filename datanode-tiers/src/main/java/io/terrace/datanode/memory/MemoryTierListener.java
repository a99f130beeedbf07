package io.terrace.datanode.memory;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Passes on what the tier tells: to the figures, to stock's descriptors, and to whoever reports residency. */
public final class MemoryTierListener implements ExtentListener {

    private final MetricRegistry metricRegistry;
    /** Stock clients that hold a descriptor of this block should ask for a new one. */
    private final Consumer<BlockKey> refreshDescriptors;

    private final PinMeter pinMeter;

    private final List<ResidencyListener> listeners = new CopyOnWriteArrayList<>();
    private volatile Runnable wake = () -> {};

    /** Counts blocks that cache directives brought into memory, and those that left it. Must be quick. */
    public interface PinMeter {
        void pinned(boolean more);
    }

    /** Nobody listens yet. */
    public MemoryTierListener(MetricRegistry metricRegistry, Consumer<BlockKey> refreshDescriptors, PinMeter pinMeter) {
        this.pinMeter = pinMeter;
        this.metricRegistry = metricRegistry;
        this.refreshDescriptors = refreshDescriptors;
    }

    /** What to do when there is housekeeping. */
    public void onHousekeeping(Runnable newWake) {
        wake = newWake;
    }

    /** Tells this listener from now on. */
    public void listen(ResidencyListener listener) {
        listeners.add(listener);
    }

    /** Tells it no more. */
    public void unlisten(ResidencyListener listener) {
        listeners.remove(listener);
    }

    @Override
    public void resident(Extent extent, boolean pinned) {
        if (extent.slot() == Extent.NO_SLOT) {
            metricRegistry.increment(Metric.MEMORY_NO_SLOT);
        }
        // Clients read the copy from now on, and the replica's pages can be dropped.
        refreshDescriptors.accept(extent.key());
        tell(extent, true, pinned);
    }

    @Override
    public void gone(Extent extent, RetireCause cause) {
        metricRegistry.increment(
                switch (cause) {
                    case ORDERED -> Metric.MEMORY_RETIRED_ORDERED;
                    case MADE_ROOM -> Metric.MEMORY_RETIRED_MADE_ROOM;
                    case CHANGED -> Metric.MEMORY_RETIRED_CHANGED;
                    case POOL_GONE, SHUTDOWN, BROKEN_OFF, SCRUB_FAILED, SWITCHED_OFF -> Metric.MEMORY_RETIRED_OTHER;
                });
        if (extent.isPassed()) {
            refreshDescriptors.accept(extent.key());
        }
        tell(extent, false, false);
    }

    @Override
    public void pinned(boolean more) {
        pinMeter.pinned(more);
    }

    @Override
    public void notPassed() {
        metricRegistry.increment(Metric.MEMORY_KEPT_OPEN_REFUSED);
    }

    @Override
    public void housekeepingWanted() {
        wake.run();
    }

    private void tell(Extent extent, boolean resident, boolean pinned) {
        BlockVersion block = extent.version();
        for (ResidencyListener listener : listeners) {
            listener.residency(block, resident, pinned);
        }
    }
}
