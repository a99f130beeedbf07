package io.terrace.datanode;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;

/**
 * What becomes of extents on NVM: counted, and told to nobody else. They are replicas where the NameNode knows them to be,
 * not residents of memory, and stock's short-circuit readers go on with the descriptors they have.
 */
public final class NvmNews implements TierEvents {

    private final Figures figures;
    private final Runnable wake;

    /**
     * Counts into these figures.
     *
     * @param wake called when there is housekeeping
     */
    public NvmNews(Figures figures, Runnable wake) {
        this.figures = figures;
        this.wake = wake;
    }

    @Override
    public void resident(Extent extent, boolean pinned) {
        figures.increment(Figure.NVM_VERIFIED);
        figures.add(Figure.NVM_VERIFIED_BYTES, extent.lengthBytes());
    }

    @Override
    public void gone(Extent extent, RetireCause cause) {
        figures.increment(Figure.NVM_RETIRED);
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
