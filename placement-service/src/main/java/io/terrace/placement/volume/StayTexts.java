package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.volume.KnownReplicas.Known;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says for {@code explain} where replicas are kept and what keeps one where it is. To be asked on the engine's thread. */
final class StayTexts {

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;
    private final TierPools pools;

    StayTexts(ClusterState clusterState, KnownReplicas known, TierSpace space, TierPools pools) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
        this.pools = pools;
    }

    /** Which tiers a block is kept in, by which rule and in which pool; null if in none. */
    @Nullable
    String range(long blockId) {
        Known block = known.find(blockId);
        if (block == null) {
            return null;
        }
        String sentence = TierKeeper.sentence(block.rule());
        TierRange range = block.rule().tiers();
        List<String> parts = new ArrayList<>();
        for (StorageTier tier : StorageTier.values()) {
            if (range != null && range.contains(tier) && pools.divides(tier)) {
                int pool = pools.pool(tier, block);
                parts.add(
                        pool == PoolBytes.PINNED
                                ? "pinned, so in no pool of " + TierKeeper.name(tier)
                                : pool == PoolBytes.UNKNOWN
                                        ? "its pool of " + TierKeeper.name(tier) + " is not known yet"
                                        : "pool " + pools.name(tier, pool) + " of " + TierKeeper.name(tier));
            }
        }
        return parts.isEmpty() ? sentence : sentence + ", " + String.join(", ", parts);
    }

    /** Why a replica might not be moved at all when the block was looked at last; null if it might. */
    @Nullable
    String obstacle(long blockId, DataNodeState node) {
        Known block = known.find(blockId);
        return block == null ? null : block.obstacle(node.uuid());
    }

    /** Why a replica that may be moved stays where it is; null if nothing keeps it there. */
    @Nullable
    String stays(long nowMs, long blockId, DataNodeState node) {
        Known block = known.find(blockId);
        Place place = block == null ? null : block.on(node.uuid());
        if (place != null && place.isLeftAlone(nowMs)) {
            return place.movedBy() + ": left alone for " + minutes(place.leftAloneUntilMs() - nowMs) + " min";
        }
        long untilMs = node.volumeBackoff().untilMs(blockId);
        if (untilMs > nowMs) {
            return "its last move between volumes failed: held back for " + (untilMs - nowMs) + " ms";
        }
        return block == null || place == null || node.volumeMoves().open(blockId) != null
                ? null
                : waits(nowMs, block, place, node);
    }

    /** Why a replica does not climb though its block is hot, or is not brought into its range. */
    private @Nullable String waits(long nowMs, Known block, Place place, DataNodeState node) {
        TierRange range = block.rule().tiers();
        BlockHeat heat = clusterState.heat().peek(block.block().id());
        if (range == null || heat == null) {
            return null;
        }
        boolean outside = !range.contains(place.tier());
        double reads = heat.heat(nowMs, clusterState.heatSettings().halfLifeMs());
        if (!outside && reads < TierKeeper.HOT_READS) {
            return null;
        }
        if (!outside
                && !known.mayClimb(nowMs, block.block().id())
                && !range.fasterThan(place.tier()).isEmpty()) {
            return "it made room for others: does not go up for "
                    + minutes(known.climbsFromMs(block.block().id()) - nowMs) + " min";
        }
        // The nearest tier first.
        List<StorageTier> wanted = new ArrayList<>(range.fasterThan(place.tier()));
        Collections.reverse(wanted);
        for (StorageTier to : outside ? range.inwards(place.tier()) : wanted) {
            if (!pools.divides(to) || !space.has(nowMs, node, to)) {
                continue;
            }
            if (pools.hasClaim(nowMs, node, to, block.block().id())) {
                return "it waits until others give back what is its pool's of " + TierKeeper.name(to);
            }
            String pool = pools.keepsOut(nowMs, node, block, place.tier(), to);
            if (pool != null) {
                return pool;
            }
        }
        return null;
    }

    private static long minutes(long ms) {
        return (ms + 59_999) / 60_000;
    }
}
