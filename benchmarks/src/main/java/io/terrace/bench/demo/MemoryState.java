package io.terrace.bench.demo;

import java.io.IOException;

/**
 * The memory tiers of all DataNodes at one moment.
 *
 * @param usedBytes how much of them is in use
 * @param blocks resident blocks
 * @param promotedBytes copied into memory since the cluster came up
 * @param droppedBytes copied there since then and no longer there
 */
public record MemoryState(long usedBytes, long blocks, long promotedBytes, long droppedBytes) {
    /** What a cluster without Terrace has. */
    public static final MemoryState NONE = new MemoryState(0, 0, 0, 0);

    /** Bytes moved between memory and the tiers below it, in both directions. */
    public long movedBytes() {
        return promotedBytes + droppedBytes;
    }

    /** Asks the cluster. */
    public interface Probe {
        MemoryState now() throws IOException;
    }
}
