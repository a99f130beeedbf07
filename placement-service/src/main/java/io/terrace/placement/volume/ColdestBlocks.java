package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.volume.KnownReplicas.Known;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The coldest replicas of each pool in each tier of each DataNode that may go down, at most {@value #MOST} of each: who makes
 * room. Found by one pass over the known replicas, at most every {@value #VALID_MS} ms, and only if somebody asks. Owned by the engine's
 * thread.
 */
final class ColdestBlocks {

    static final int MOST = 64;
    static final long VALID_MS = 10_000;

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierPools pools;
    private final Map<Key, PriorityQueue<Cold>> coldest = new HashMap<>();
    private long foundMs = Long.MIN_VALUE;

    private record Key(String node, StorageTier tier, int pool) {}

    /**
     * A replica and the heat of its block.
     *
     * @param pool what the block counted for when it was found; it may have another pool, or be deleted, by now
     */
    record Cold(Known block, int pool, double heat) {}

    ColdestBlocks(ClusterState clusterState, KnownReplicas known, TierPools pools) {
        this.clusterState = clusterState;
        this.known = known;
        this.pools = pools;
    }

    void forget() {
        coldest.clear();
        foundMs = Long.MIN_VALUE;
    }

    /**
     * The coldest one that is left, without taking it; null if there is none.
     *
     * @param pool as {@link TierPools} numbers them
     */
    @Nullable
    Cold peek(long nowMs, String node, StorageTier tier, int pool) {
        if (foundMs == Long.MIN_VALUE || nowMs - foundMs >= VALID_MS) {
            foundMs = nowMs;
            find(nowMs);
        }
        PriorityQueue<Cold> here = coldest.get(new Key(node, tier, pool));
        return here == null ? null : here.peek();
    }

    /** Takes the one that {@link #peek} gave. */
    void take(String node, StorageTier tier, Cold cold) {
        PriorityQueue<Cold> here = coldest.get(new Key(node, tier, cold.pool));
        if (here != null) {
            here.remove(cold);
        }
    }

    private void find(long nowMs) {
        coldest.clear();
        Map<Key, PriorityQueue<Cold>> hottestFirst = new HashMap<>();
        long halfLifeMs = clusterState.heatSettings().halfLifeMs();
        for (Known block : known.all()) {
            if (known.slot(block) == PoolBytes.UNKNOWN) {
                // Other rules hold since it was looked at, and they may give it another range, or none.
                continue;
            }
            TierRange range = block.rule().tiers();
            BlockHeat heat = clusterState.heat().peek(block.block().id());
            double reads = heat == null ? 0 : heat.heat(nowMs, halfLifeMs);
            for (Place place : block.places()) {
                if (range == null
                        || !place.mayMove(nowMs)
                        || range.slowerThan(place.tier()).isEmpty()) {
                    continue;
                }
                int pool = pools.pool(place.tier(), block);
                PriorityQueue<Cold> here = hottestFirst.computeIfAbsent(
                        new Key(place.node(), place.tier(), pool),
                        key -> new PriorityQueue<>(
                                Comparator.comparingDouble(Cold::heat).reversed()));
                here.add(new Cold(block, pool, reads));
                if (here.size() > MOST) {
                    here.poll();
                }
            }
        }
        hottestFirst.forEach((key, found) -> {
            PriorityQueue<Cold> coldestFirst = new PriorityQueue<>(Comparator.comparingDouble(Cold::heat));
            coldestFirst.addAll(found);
            coldest.put(key, coldestFirst);
        });
    }
}
