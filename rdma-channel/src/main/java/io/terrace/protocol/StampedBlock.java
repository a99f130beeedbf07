package io.terrace.protocol;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;

/**
 * A block as it was when it was reported. The generation stamp names its content: another stamp is another content. Its
 * block pool is not in it: all that a placement service and a DataNode say to each other is of one pool.
 *
 * @param id block id, unique in the block pool
 * @param stamp generation stamp
 * @param lengthBytes length of the finalised replica
 */
public record StampedBlock(long id, long stamp, long lengthBytes) {

    public boolean sameContent(StampedBlock other) {
        return id == other.id && stamp == other.stamp;
    }

    /** The same, of this block pool. */
    public BlockVersion in(String pool) {
        return new BlockVersion(new BlockKey(pool, id, stamp), lengthBytes);
    }

    @Override
    public String toString() {
        return "blk_" + id + "_" + stamp;
    }
}
