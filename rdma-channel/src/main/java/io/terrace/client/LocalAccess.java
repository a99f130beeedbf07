package io.terrace.client;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of this host that the readers of one file system look into, and accessors of the blocks there. Bound once, as the
 * HDFS client reads its own settings once. Connections and grants belong to the process. Thread-safe.
 */
public final class LocalAccess {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAccess.class);

    private final LocalDataNodes memory;

    private LocalAccess(LocalDataNodes memory) {
        this.memory = memory;
    }

    /** Null where readers with this configuration do not look for memory of this host; says so where it is wrong. */
    public static @Nullable LocalAccess of(Configuration conf) {
        LocalDataNodes memory = AccessorBindings.bind(conf).memory();
        return memory == null ? null : new LocalAccess(memory);
    }

    /**
     * Whether a DataNode of this host has the block, as far as its table tells, or a grant of it is held. Allocates nothing,
     * locks nothing, calls nobody.
     */
    public boolean holds(LocatedBlock located, StreamGrants held) {
        StreamGrants.Held known = held.of(located);
        if (known != null && known.grant().isLive()) {
            return true;
        }
        ExtendedBlock block = located.getBlock();
        return memory.holds(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    /** Counts a block that stock HDFS reads because no DataNode of this host has it. */
    public void countAbsent() {
        memory.countAbsent();
    }

    /**
     * An accessor of the block; null, counted by reason, where stock HDFS is to read.
     *
     * <p>Files that are being written are no exception, as they are for stock's short-circuit reads, whose reader meets a
     * replica that grows (HDFS-2757): memory has finalised replicas alone, asked for by generation stamp, so a block is not there
     * from the moment that it grows.
     */
    public @Nullable ReplicaAccessor open(BlockReadRequest range) {
        LocatedBlock located = range.block();
        try {
            if (range.verified() && memory.isDistrusted(located.getBlock().getBlockId())) {
                return null;
            }
            StreamGrants.Held known = range.held().of(located);
            if (known != null
                    && known.grant().lengthBytes() >= range.endOffset()
                    && known.grant().isUsable()) {
                return memory.accessor(known.key(), range.endOffset(), known.grant(), range.verified());
            }
            return granted(range);
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("No grant for {}", located, e);
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_FAILED);
            return null;
        }
    }

    private @Nullable ReplicaAccessor granted(BlockReadRequest range) {
        ExtendedBlock block = range.block().getBlock();
        if (!memory.holds(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp())) {
            memory.countAbsent();
            return null;
        }
        BlockKey blockKey = new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
        GrantKey key = new GrantKey(range.user(), bytes(range.block().getBlockToken()), blockKey);
        LocalGrant grant = memory.grant(key, range.endOffset());
        if (grant == null) {
            return null;
        }
        range.held().hold(range.block(), key, grant);
        return memory.accessor(key, range.endOffset(), grant, range.verified());
    }

    private static byte[] bytes(Token<BlockTokenIdentifier> token) {
        try (DataOutputBuffer out = new DataOutputBuffer(256)) {
            token.write(out);
            return Arrays.copyOf(out.getData(), out.getLength());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
