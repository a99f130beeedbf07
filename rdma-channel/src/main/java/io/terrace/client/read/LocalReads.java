package io.terrace.client.read;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.LocalAccess;
import io.terrace.client.StreamGrants;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Opens blocks in the memory of this host's DataNodes, as the replica accessor does, and blocks of files that are
 * being written too.
 */
public final class LocalReads {
    private final LocalAccess access;

    /** @param access of the file system whose streams read */
    public LocalReads(LocalAccess access) {
        this.access = access;
    }

    /** Whether the block is there, as far as is known without a call. Allocates nothing. */
    boolean holds(LocatedBlock located, StreamGrants held) {
        return access.holds(located, held);
    }

    /** Counts a block that is not there and that stock HDFS reads. */
    void countAbsent() {
        access.countAbsent();
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
        return access.open(range);
    }
}
