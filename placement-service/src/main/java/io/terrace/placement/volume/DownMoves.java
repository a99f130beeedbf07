package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.volume.ColdestBlocks.Cold;
import io.terrace.placement.volume.KnownReplicas.Known;
import org.jspecify.annotations.Nullable;

/**
 * Moves replicas down so that there is room in their tier: for a much hotter block of the same pool, for a pool that needs its
 * share back, or because the tier is above its high-water mark. Owned by the engine's thread.
 */
final class DownMoves {

    /** How much hotter a block must be than one that makes room for it, so that the two do not take turns. */
    private static final double MUCH_HOTTER = 2;

    /** For which a block that made room does not go up again. */
    static final long STAYS_DOWN_MS = 600_000;

    private static final long DRAIN_MS = 1_000;

    /** In place of a pool: all of them, where the tier is not divided or nobody has more than its own share. */
    private static final int NOBODY = -1;

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;
    private final TierPools pools;
    private final RangeOrders orders;
    private final ColdestBlocks coldest;
    private long drainedMs = Long.MIN_VALUE;

    DownMoves(ClusterState clusterState, KnownReplicas known, TierSpace space, TierPools pools, RangeOrders orders) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
        this.pools = pools;
        this.orders = orders;
        this.coldest = new ColdestBlocks(clusterState, known, pools);
    }

    /** Other pools hold: who is the coldest of which is found anew. */
    void poolsChanged() {
        coldest.forget();
    }

    /** Lets a block of the same pool go down that was read less than half as much as the one that waits. */
    void forHotter(long nowMs, DataNodeState node, Known block, StorageTier tier, double reads) {
        int pool = pools.pool(tier, block);
        Cold cold = coldest.peek(nowMs, node.uuid(), tier, pool);
        if (cold != null && isMuchColder(cold, reads)) {
            coldest.take(node.uuid(), tier, cold);
            makeRoom(nowMs, node, cold.block(), tier, ": a block with more reads is to take its room");
        }
    }

    /** Whether {@link #forHotter} would let one go down. */
    boolean coldestIsMuchColder(long nowMs, DataNodeState node, Known block, StorageTier tier, double reads) {
        return isMuchColder(coldest.peek(nowMs, node.uuid(), tier, pools.pool(tier, block)), reads);
    }

    private static boolean isMuchColder(@Nullable Cold cold, double reads) {
        return cold != null && reads >= MUCH_HOTTER * cold.heat() + 1;
    }

    /**
     * Lets others give back what the block's pool owns of a tier, if the block fits that.
     *
     * @return whether the block has a right to room there
     */
    boolean forShare(long nowMs, DataNodeState node, Known block, StorageTier tier) {
        if (!pools.divides(tier) || !pools.claim(nowMs, node, block, tier)) {
            return false;
        }
        String why = ": pool " + pools.name(tier, pools.pool(tier, block)) + " takes its share of "
                + TierKeeper.name(tier) + " back";
        while (space.aboveHighWaterBytes(nowMs, node, tier, true) + pools.claimedBytes(nowMs, node, tier) > 0
                && !node.volumeMoves().isFull()) {
            int from = pools.furthestAbove(nowMs, node, tier);
            Cold cold = from == NOBODY ? null : coldest.peek(nowMs, node.uuid(), tier, from);
            if (cold == null) {
                break;
            }
            coldest.take(node.uuid(), tier, cold);
            if (makeRoom(nowMs, node, cold.block(), tier, why)) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_POOL_RETURNS);
            }
        }
        return true;
    }

    private boolean makeRoom(long nowMs, DataNodeState node, Known block, StorageTier tier, String why) {
        TierRange range = block.rule().tiers();
        Place place = block.on(node.uuid());
        long id = block.block().id();
        if (range == null
                || place == null
                || place.tier() != tier
                || !place.mayMove(nowMs)
                || node.volumeMoves().open(id) != null
                || node.volumeBackoff().holdsBack(nowMs, id)) {
            return false;
        }
        for (StorageTier to : range.slowerThan(tier)) {
            if (space.fitsBelowHighWater(nowMs, node, to, block.block().lengthBytes())
                    && pools.admits(nowMs, node, block, tier, to)) {
                known.staysDown(nowMs, id, STAYS_DOWN_MS);
                return orders.order(nowMs, node, block, tier, to, Cause.FULL, why);
            }
        }
        return false;
    }

    /** Lets the coldest blocks of tiers above their high-water mark go down. */
    void drain(long nowMs) {
        if (drainedMs != Long.MIN_VALUE && nowMs - drainedMs < DRAIN_MS) {
            return;
        }
        drainedMs = nowMs;
        space.retain(clusterState.nodes());
        pools.retain(clusterState.nodes());
        for (DataNodeState node : clusterState.nodes().values()) {
            if (node.takesVolumeMoves()) {
                for (StorageTier tier : StorageTier.values()) {
                    drain(nowMs, node, tier);
                }
            }
        }
    }

    /**
     * Lets a block of which no access is known go down from a tier above its high-water mark: none is colder.
     *
     * @return whether it goes
     */
    boolean drainOf(long nowMs, DataNodeState node, Known block, @Nullable StorageTier tier) {
        return tier != null
                && space.aboveHighWaterBytes(nowMs, node, tier, true) > 0
                && makeRoom(nowMs, node, block, tier, aboveHighWater(tier));
    }

    private static String aboveHighWater(StorageTier tier) {
        return ": " + TierKeeper.name(tier) + " is above its high-water mark";
    }

    private void drain(long nowMs, DataNodeState node, StorageTier tier) {
        while (space.aboveHighWaterBytes(nowMs, node, tier, true) > 0
                && !node.volumeMoves().isFull()) {
            Cold cold = next(nowMs, node, tier);
            if (cold == null) {
                return;
            }
            coldest.take(node.uuid(), tier, cold);
            makeRoom(nowMs, node, cold.block(), tier, aboveHighWater(tier));
        }
    }

    /** The coldest block of who gives back first, else of all. */
    private @Nullable Cold next(long nowMs, DataNodeState node, StorageTier tier) {
        if (pools.divides(tier)) {
            int first = pools.furthestAbove(nowMs, node, tier);
            Cold cold = first == NOBODY ? null : coldest.peek(nowMs, node.uuid(), tier, first);
            if (cold != null) {
                return cold;
            }
        }
        Cold coldestOfAll = null;
        for (int pool = 0; pool <= PoolBytes.PINNED; pool++) {
            Cold cold = coldest.peek(nowMs, node.uuid(), tier, pool);
            if (cold != null && (coldestOfAll == null || cold.heat() < coldestOfAll.heat())) {
                coldestOfAll = cold;
            }
        }
        return coldestOfAll;
    }
}
