package io.terrace.fs;

import io.terrace.client.remote.RemoteDataNodes;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Adds to block locations the hosts that have the block in memory, which is what MapReduce and Spark schedule by.
 * Stock names only those that a cache directive asked for.
 *
 * <p>DataNodes announce to their clients which blocks they have, so this costs no call for a block or a file.
 * DataNodes that this process is not connected to are connected to for a bounded time. Those after it are left out,
 * which costs a scheduler a preference and nothing else. Thread-safe.
 */
final class CachedHosts {
    private static final long CONNECT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RemoteDataNodes memory;

    CachedHosts(RemoteDataNodes memory) {
        this.memory = memory;
    }

    /** Adds to what DFSClient answered. */
    BlockLocation[] addTo(BlockLocation[] locations) throws IOException {
        long connectUntilNs = System.nanoTime() + CONNECT_NS;
        for (BlockLocation location : locations) {
            // Where a location came through serialization its block is gone.
            if (location instanceof HdfsBlockLocation hdfs && hdfs.getLocatedBlock() != null) {
                add(location, hdfs.getLocatedBlock(), connectUntilNs);
            }
        }
        return locations;
    }

    /** Adds to an entry of a listing. */
    LocatedFileStatus addTo(LocatedFileStatus status) throws IOException {
        BlockLocation[] locations = status.getBlockLocations();
        if (locations != null && status instanceof HdfsLocatedFileStatus hdfs && hdfs.getLocatedBlocks() != null) {
            List<LocatedBlock> blocks = hdfs.getLocatedBlocks().getLocatedBlocks();
            long connectUntilNs = System.nanoTime() + CONNECT_NS;
            for (int i = 0; i < locations.length && locations.length == blocks.size(); i++) {
                add(locations[i], blocks.get(i), connectUntilNs);
            }
        }
        return status;
    }

    private void add(BlockLocation location, LocatedBlock block, long connectUntilNs) throws IOException {
        List<String> hosts = memory.hostsWith(block, connectUntilNs);
        if (!hosts.isEmpty()) {
            Set<String> all = new LinkedHashSet<>(Arrays.asList(location.getCachedHosts()));
            all.addAll(hosts);
            location.setCachedHosts(all.toArray(String[]::new));
        }
    }
}
