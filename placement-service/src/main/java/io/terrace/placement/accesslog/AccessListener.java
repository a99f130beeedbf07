package io.terrace.placement.accesslog;

/** Takes the accesses that DataNodes report to the placement loop. Must not block. */
@FunctionalInterface
public interface AccessListener {

    /** Keeps nothing. */
    AccessListener NONE = (block, length, reads, bytesRead, writes, bytesWritten) -> {};

    /** Reads and writes of one block that one heartbeat brought; the sums of their bytes. */
    void accesses(long blockId, long lengthBytes, long reads, long bytesRead, long writes, long bytesWritten);
}
