package io.terrace.datanode.extent;

/**
 * The files behind extents. The tmpfs directory is one implementation, a map in memory for simulations another.
 *
 * <p>Called without the tier's lock; implementations are thread-safe.
 */
public interface ExtentFiles {

    /**
     * Removes the extent's file. One that is gone already is no failure.
     *
     * @param truncate also take the bytes away from those who still have it open, though they no longer may
     * @return false if that failed: the file counts as there, and this is called again
     */
    boolean remove(Extent extent, boolean truncate);
}
