package io.terrace.datanode;

/**
 * The files behind extents. The tmpfs directory is one implementation, a map in memory for simulations another.
 *
 * <p>Called without the tier's lock; implementations are thread-safe.
 */
public interface ExtentFiles {

    /**
     * Removes the extent's file.
     *
     * @param truncate also take the bytes away from those who still have it open, though they no longer may
     */
    void remove(Extent extent, boolean truncate);
}
