package io.terrace.common;

import java.util.Objects;

/**
 * Names the bytes of one block: a block with another generation stamp is another block.
 *
 * @param pool block pool id
 * @param blockId id of the block in its pool; any value
 * @param generationStamp changes with every append, truncate and recovery
 */
public record BlockKey(String pool, long blockId, long generationStamp) {
    public BlockKey {
        Objects.requireNonNull(pool, "pool");
    }

    @Override
    public String toString() {
        return pool + ":blk_" + blockId + "_" + generationStamp;
    }
}
