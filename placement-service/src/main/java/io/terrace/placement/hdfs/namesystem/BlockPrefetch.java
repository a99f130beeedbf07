package io.terrace.placement.hdfs.namesystem;

import java.util.Iterator;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings blocks of the NameNode's map into the processor's caches before a look at them, without the lock. A map of millions of
 * blocks is in none of these, so a look would hold the lock mostly to wait for memory.
 *
 * <p>The map may change meanwhile, so nothing that is read here is used. The map has a fixed number of chains, and what is in one is
 * linked until it is removed: a walk along a chain ends, whatever is added or removed beside it.
 */
final class BlockPrefetch {
    private static final Logger LOG = LoggerFactory.getLogger(BlockPrefetch.class);

    /** Written so that the compiler cannot leave out the reads. */
    private volatile long read;

    /** @param ids of blocks; any may be unknown to the NameNode */
    void prefetch(BlockManager blocks, Iterator<Long> ids) {
        long sum = 0;
        long lastId = 0;
        try {
            while (ids.hasNext()) {
                long id = ids.next();
                if (id != lastId) {
                    lastId = id;
                    BlockInfo stored = blocks.getStoredBlock(new Block(id));
                    // The second reads the array in which its DataNodes are.
                    sum += stored == null ? 0 : stored.getNumBytes() + stored.getCapacity();
                }
            }
        } catch (RuntimeException | AssertionError e) {
            LOG.debug("A block was being added when it was looked at without the lock", e);
        }
        read = sum;
    }
}
