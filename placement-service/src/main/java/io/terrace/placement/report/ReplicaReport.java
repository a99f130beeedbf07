package io.terrace.placement.report;

import io.terrace.placement.state.HomeSelector.Standing;
import io.terrace.placement.state.Move;
import io.terrace.policy.api.Explanation;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one DataNode's replica of a block, and of its copy in memory.
 *
 * @param pinned whether the policy may not evict it
 * @param heldForMs for how long that is so because it is held after a promotion; 0 if it is not held
 * @param open the open move into memory or out of it
 * @param between the open move of the replica between volumes
 * @param stays why the replica is not moved between volumes now; null if nothing keeps it
 * @param standing what speaks for the DataNode as the block's home now; null if it could not be the home
 */
public record ReplicaReport(
        String node,
        String name,
        boolean live,
        boolean inMemory,
        boolean pinned,
        long heldForMs,
        boolean home,
        double share,
        long residentSinceMs,
        long bytesServedFromMemory,
        @Nullable Explanation why,
        @Nullable Move open,
        long heldBackMs,
        @Nullable Move between,
        @Nullable String stays,
        Host host,
        @Nullable Standing standing) {

    /**
     * Its DataNode.
     *
     * @param upMs since it began to report, after its last start
     * @param reservedBytes of the memory, by pins and by orders to promote
     * @param residents blocks in its memory
     * @param movesBefore promotions that go before the open one, which waits
     * @param bytesBefore of them
     * @param budgetUsedUp so many promotions wait that a further one would be given up before its turn
     */
    public record Host(
            boolean serving,
            long silentMs,
            long upMs,
            long capacityBytes,
            long usedBytes,
            long reservedBytes,
            int residents,
            int movesBefore,
            long bytesBefore,
            boolean budgetUsedUp) {

        /** Whether the memory has room for so many more bytes. */
        public boolean hasRoom(long bytes) {
            return usedBytes + bytes <= capacityBytes;
        }
    }
}
