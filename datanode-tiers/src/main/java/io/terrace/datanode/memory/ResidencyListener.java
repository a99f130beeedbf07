package io.terrace.datanode.memory;

import io.terrace.common.BlockKey;

/** Hears which copies enter and leave the memory tier. Called under the tier's lock: must be quick, never calls back. */
public interface ResidencyListener {

    /** A copy entered, its pin changed, or it left. */
    void residency(BlockKey key, long lengthBytes, boolean resident, boolean pinned);
}
