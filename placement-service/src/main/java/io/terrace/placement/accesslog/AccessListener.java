package io.terrace.placement.accesslog;

/** Where the placement loop tells of accesses, as DataNodes report them. Must not block. */
@FunctionalInterface
public interface AccessListener {

    /** Keeps nothing. */
    AccessListener NONE = (block, length, reads, bytesRead, writes, bytesWritten) -> {};

    /** Reads and writes of one block that one heartbeat brought; the sums of their bytes. */
    void accesses(long blockId, long lengthBytes, long reads, long bytesRead, long writes, long bytesWritten);
}
