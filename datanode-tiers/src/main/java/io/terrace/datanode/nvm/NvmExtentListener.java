package io.terrace.datanode.nvm;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;

/**
 * What becomes of extents on NVM: counted, and told to nobody else. They are replicas where the NameNode knows them to be,
 * not residents of memory, and stock's short-circuit readers go on with the descriptors they have.
 */
public final class NvmExtentListener implements ExtentListener {

    private final MetricRegistry metricRegistry;
    private final Runnable wake;

    /**
     * Counts into these figures.
     *
     * @param wake called when there is housekeeping
     */
    public NvmExtentListener(MetricRegistry metricRegistry, Runnable wake) {
        this.metricRegistry = metricRegistry;
        this.wake = wake;
    }

    @Override
    public void resident(Extent extent, boolean pinned) {
        metricRegistry.increment(Metric.NVM_VERIFIED);
        metricRegistry.add(Metric.NVM_VERIFIED_BYTES, extent.lengthBytes());
    }

    @Override
    public void gone(Extent extent, RetireCause cause) {
        metricRegistry.increment(Metric.NVM_RETIRED);
    }

    @Override
    public void pinned(boolean more) {
        throw new IllegalStateException("extents on NVM are not pinned");
    }

    @Override
    public void housekeepingWanted() {
        wake.run();
    }
}
