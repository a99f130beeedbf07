package io.terrace.fs;

import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;

/**
 * A place other than a stock DataNode stream that may have the bytes of a block: memory of this host or of another.
 *
 * <p>Called by any thread, once for every block reader, so once for each positional read: knowing that a block is not
 * there must cost no call.
 */
interface BlockSource {
    /**
     * A reader of the range, which the caller closes, or null when this source has it not or does not say in time. An
     * IOException of the reader only ever makes the caller go to stock HDFS; it may return fewer bytes than asked, and
     * returns -1 only when it has no more.
     */
    @Nullable
    ReplicaAccessor open(BlockRange range);
}
