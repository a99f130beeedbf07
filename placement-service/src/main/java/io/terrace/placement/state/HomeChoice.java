package io.terrace.placement.state;

import org.jspecify.annotations.Nullable;

/**
 * Says on which DataNode the memory copy of each block belongs: {@link HomeSelector}, which the simulation watches and changes.
 * Owned by the engine's thread.
 */
public interface HomeChoice {

    /** Makes the one of an epoch. */
    @FunctionalInterface
    interface Factory {
        HomeChoice make(ClusterState clusterState);
    }

    /**
     * The block's home from now on; null when no live DataNode that could be it has room for it.
     *
     * @param pool of the block
     */
    @Nullable
    DataNodeState choose(long nowMs, BlockHeat heat, int pool);

    /** Whether another DataNode than this one is the block's home. */
    boolean isElsewhere(DataNodeState node, long blockId);
}
