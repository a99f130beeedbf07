package io.terrace.datanode.memory;

import io.terrace.common.BlockVersion;

/** Hears which copies enter and leave the memory tier. Called under the tier's lock: must be quick, never calls back. */
public interface ResidencyListener {

    /** A copy entered, its pin changed, or it left. */
    void residency(BlockVersion block, boolean resident, boolean pinned);
}
