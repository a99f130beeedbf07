package io.terrace.client.read;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.LocalAccess;
import io.terrace.client.TerraceAccessorBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.DataOutputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Opens blocks in the memory of this host's DataNodes, as the replica accessor does, and blocks of files that are
 * being written too.
 */
public final class LocalReads {
    /** Whether the block is there, as far as is known without a call. Allocates nothing. */
    boolean holds(LocatedBlock located, Configuration conf) {
        ExtendedBlock block = located.getBlock();
        return LocalAccess.holds(conf, block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    /** Counts a block that is not there and that stock HDFS reads. */
    void countAbsent(Configuration conf) {
        LocalAccess.countAbsent(conf);
    }

    /**
     * A reader of the range, which the caller closes, or null when it is not there or nobody says so in time. Called once for
     * each positional read: knowing that a block is not there costs no call.
     *
     * <p>Files that are being written are no exception, as they are for stock's short-circuit reads, whose reader meets a
     * replica that grows (HDFS-2757): memory has finalised replicas alone, asked for by generation stamp, so a block is not there
     * from the moment that it grows.
     */
    @Nullable
    ReplicaAccessor open(BlockReadRequest range) {
        ExtendedBlock block = range.block().getBlock();
        try (DataOutputBuffer token = new DataOutputBuffer(256)) {
            range.block().getBlockToken().write(token);
            return new TerraceAccessorBuilder()
                    .setFileName(range.fileName())
                    .setBlock(block.getBlockId(), block.getBlockPoolId())
                    .setGenerationStamp(block.getGenerationStamp())
                    .setVerifyChecksum(range.verifyChecksum())
                    .setClientName(range.clientName())
                    .setAllowShortCircuitReads(true)
                    .setVisibleLength(range.endOffset())
                    .setConfiguration(range.conf())
                    .setBlockAccessToken(Arrays.copyOf(token.getData(), token.getLength()))
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
