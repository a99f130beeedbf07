package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.DataNodeState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Room in tiers of DataNodes that is kept for blocks which wait for their pool's own share: what others give back goes to
 * nobody else. Owned by the engine's thread.
 */
final class ShareClaims {

    /** So long a claim holds that is not renewed: the sweep looks at all blocks once in that time. */
    static final long CLAIM_MS = LookQueue.SWEEP_MS + 10_000;

    /** Blocks that may wait for room of a tier of a DataNode. */
    static final int MOST_CLAIMS = 256;

    private final Map<Key, Map<Long, Claim>> claims = new HashMap<>();

    private record Key(String node, StorageTier tier) {}

    private record Claim(int pool, long bytes, long untilMs) {}

    private Map<Long, Claim> at(DataNodeState node, StorageTier tier) {
        return claims.getOrDefault(new Key(node.uuid(), tier), Map.of());
    }

    /** Makes a claim, or renews it; whether there was room for one more. */
    boolean put(long nowMs, DataNodeState node, StorageTier tier, int pool, long blockId, long bytes) {
        Map<Long, Claim> here = claims.computeIfAbsent(new Key(node.uuid(), tier), any -> new LinkedHashMap<>());
        here.values().removeIf(claim -> claim.untilMs <= nowMs);
        boolean fits = here.containsKey(blockId) || here.size() < MOST_CLAIMS;
        if (fits) {
            here.put(blockId, new Claim(pool, bytes, nowMs + CLAIM_MS));
        }
        return fits;
    }

    boolean has(long nowMs, DataNodeState node, StorageTier tier, long blockId) {
        Claim claim = at(node, tier).get(blockId);
        return claim != null && claim.untilMs > nowMs;
    }

    /** The block waits no longer. */
    void remove(DataNodeState node, StorageTier tier, long blockId) {
        Map<Long, Claim> here = claims.get(new Key(node.uuid(), tier));
        if (here != null) {
            here.remove(blockId);
        }
    }

    /**
     * Bytes that are claimed.
     *
     * @param pool null for all
     * @param but a block that does not count; -1 for none
     */
    long bytes(long nowMs, DataNodeState node, StorageTier tier, @Nullable Integer pool, long but) {
        long sum = 0;
        for (Map.Entry<Long, Claim> each : at(node, tier).entrySet()) {
            Claim claim = each.getValue();
            boolean counts = claim.untilMs > nowMs && (pool == null || claim.pool == pool) && each.getKey() != but;
            sum += counts ? claim.bytes : 0;
        }
        return sum;
    }

    void clear() {
        claims.clear();
    }

    /** DataNodes that are not known any more have no claims. */
    void retain(Set<String> nodes) {
        claims.keySet().removeIf(key -> !nodes.contains(key.node));
    }
}
