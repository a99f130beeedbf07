package io.terrace.placement.report;

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
        @Nullable String stays) {}
