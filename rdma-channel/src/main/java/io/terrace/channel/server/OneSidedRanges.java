package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.RegionKey;
import java.nio.file.Path;

/**
 * Serves the ranges that a {@link TcpGrantServer} has granted by RDMA too, where a read needs no work of the server.
 * Who shows the key of a grant there reaches its range. Thread-safe; never fails, since tcp serves too.
 */
public interface OneSidedRanges {
    /** There is no other way. */
    OneSidedRanges NONE = new OneSidedRanges() {
        @Override
        public String where() {
            return "";
        }

        @Override
        public void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums) {}

        @Override
        public void retired(RegionKey key) {}

        @Override
        public long ended(RegionKey key) {
            return 0;
        }
    };

    /** The address that clients are told, as host:port; empty when there is none. */
    String where();

    /** A grant was given, after its token was checked. */
    void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums);

    /** The extent of a grant retires: no read of it may begin any more. */
    void retired(RegionKey key);

    /**
     * A grant is over: its key is void.
     *
     * @return nanoseconds until the reads that had begun are over, so that the extent may be freed
     */
    long ended(RegionKey key);
}
