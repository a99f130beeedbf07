package io.terrace.datanode.extent;

import io.terrace.common.BlockKey;

/** The table that tells local clients without a call which extents are live. Called under the tier's lock: no blocking. */
public interface SlotAllocator {

    /** A free slot for this block, or {@link Extent#NO_SLOT}. */
    int claim(BlockKey key);

    /** Shows the slot as live; answers its sequence. */
    long publish(int slot);

    /** Readers that look from now on see that they must not begin. */
    void retire(int slot);

    /** The slot may be claimed for another block; its sequence grows. */
    void free(int slot);
}
