package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.volume.KnownReplicas.Known;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides which replicas of a block move, by the range of tiers that its rule gives:
 *
 * <ul>
 *   <li>A replica outside the range is brought into it, to the nearest tier that the DataNode has and where it fits.
 *   <li>One replica of a block with at least {@value #HOT_READS} reads of late (all of them, where the rule says so) climbs
 *       to the fastest tier of the range below its high-water mark where its pool has room. If there is none and a block of
 *       the pool there was read less than half as much, that one goes down first; if others borrowed what is the pool's own,
 *       they give it back ({@link DownMoves}).
 *   <li>Replicas of a block that was not accessed for long go down to the slowest tier of the range.
 *   <li>If a tier is above its high-water mark, its coldest blocks go down.
 * </ul>
 *
 * <p>A block of the control sample does not climb, and nothing climbs into a tier that is left as its reads are slower.
 *
 * <p>A block without a range stays where HDFS put it. Owned by the engine's thread.
 */
final class TierKeeper {

    static final double HOT_READS = 3;

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;
    private final TierPools pools;
    private final RangeOrders orders;
    private final DownMoves downMoves;

    TierKeeper(
            ClusterState clusterState,
            KnownReplicas known,
            TierSpace space,
            TierPools pools,
            RangeOrders orders,
            DownMoves downMoves) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
        this.pools = pools;
        this.orders = orders;
        this.downMoves = downMoves;
    }

    /** Looks at a block as the NameNode has it. */
    void decide(long nowMs, Placed placed, BlockHeat heat, PathRule rule) {
        TierRange range = rule.tiers();
        Known block = known.see(nowMs, placed, rule);
        if (range == null || placed.obstacle() != null) {
            return;
        }
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            if (tier != null && !range.contains(tier)) {
                bringIn(nowMs, block, replica, tier, range);
            }
        }
        double reads = heat.heat(nowMs, clusterState.heatSettings().halfLifeMs());
        if (reads >= HOT_READS && known.mayClimb(nowMs, block.block().id())) {
            climb(nowMs, block, placed, range, heat, reads);
        } else if (nowMs - heat.lastMs() >= coldMs(range)) {
            for (PlacedReplica replica : placed.replicas()) {
                sink(nowMs, block, replica, range);
            }
        }
    }

    /**
     * Looks at a block without heat: HDFS's access time says for how long nobody has opened its file. It says nothing of reads of
     * a file that stays open, so it counts only if such reads would not have been forgotten either.
     */
    void decideWithoutHeat(long nowMs, Placed placed, PathRule rule) {
        TierRange range = rule.tiers();
        Known block = known.see(nowMs, placed, rule);
        if (range != null
                && placed.obstacle() == null
                && placed.unreadMs() >= coldMs(range)
                && clusterState.heardForMs(nowMs) >= Math.min(coldMs(range), OfferedBlocks.KNOWN_BY_AGE_MS)) {
            for (PlacedReplica replica : placed.replicas()) {
                sink(nowMs, block, replica, range);
            }
        }
    }

    /** Without an access for so long, a block goes down. */
    long coldMs(TierRange range) {
        return range.keepMs() > 0
                ? range.keepMs()
                : clusterState.moveSettings().volumes().coldMs();
    }

    /**
     * Looks at a block of which no access is known, and whose replica on a DataNode is so old.
     *
     * @return whether that replica goes down
     */
    boolean offered(long nowMs, DataNodeState node, Placed placed, PathRule rule, Offer offer) {
        TierRange range = rule.tiers();
        PlacedReplica replica = placed.on(node.uuid());
        // One that moved since it was offered is offered from its new tier.
        if (range == null || replica == null || replica.tier() != offer.tier() || placed.obstacle() != null) {
            return false;
        }
        long id = placed.block().id();
        boolean isNew = known.find(id) == null;
        Known block =
                isNew || known.isOffered(id) ? known.seeOffered(nowMs, placed, rule) : known.see(nowMs, placed, rule);
        boolean goes;
        if (range.isBelow(offer.tier())) {
            goes = bringIn(nowMs, block, replica, offer.tier(), range);
        } else if (isCold(nowMs, placed, range, offer)) {
            goes = sink(nowMs, block, replica, range);
        } else {
            goes = mover(nowMs, block, replica) != null && downMoves.drainOf(nowMs, node, block, replica.tier());
        }
        if (!goes && isNew) {
            known.forget(id);
        }
        return goes;
    }

    private boolean isCold(long nowMs, Placed placed, TierRange range, Offer offer) {
        long coldMs = coldMs(range);
        long heardForMs = clusterState.heardForMs(nowMs);
        // HDFS's access time speaks for what was before that: it is an hour behind by default.
        boolean isUnread = heardForMs >= coldMs || placed.unreadMs() < 0 || placed.unreadMs() >= coldMs;
        // A full tier is asked about sooner than it is known that nobody has read a block for as long as it is kept.
        return isUnread && offer.ageMs() >= coldMs && heardForMs >= Math.min(coldMs, OfferedBlocks.KNOWN_BY_AGE_MS);
    }

    /**
     * Whether {@link #decide} would order nothing, by what is known: each replica moves or is in its range, where the NameNode has
     * it too, and none may climb. One without replicas was being written when it was looked at, and may be whole by now.
     */
    boolean isAtRest(long nowMs, Known block, BlockHeat heat) {
        TierRange range = block.rule().tiers();
        if (range == null || block.places().isEmpty()) {
            return false;
        }
        boolean hot = known.mayClimb(nowMs, block.block().id())
                && heat.heat(nowMs, clusterState.heatSettings().halfLifeMs()) >= HOT_READS;
        for (Place place : block.places()) {
            if (place.movingTo() == null
                    && (place.isUnsure(nowMs)
                            || !range.contains(place.tier())
                            || (hot && !range.fasterThan(place.tier()).isEmpty()))) {
                return false;
            }
        }
        return true;
    }

    /** The DataNode that may be asked to move the replica; null if it may not be moved. */
    private @Nullable DataNodeState mover(long nowMs, Known block, PlacedReplica replica) {
        DataNodeState node = clusterState.nodes().get(replica.node());
        Place place = block.on(replica.node());
        long id = block.block().id();
        return replica.obstacle() == null
                        && node != null
                        && node.takesVolumeMoves()
                        && place != null
                        && place.mayMove(nowMs)
                        && node.volumeMoves().open(id) == null
                        && !node.volumeBackoff().holdsBack(nowMs, id)
                ? node
                : null;
    }

    private boolean bringIn(long nowMs, Known block, PlacedReplica replica, StorageTier tier, TierRange range) {
        DataNodeState node = mover(nowMs, block, replica);
        if (node == null) {
            return false;
        }
        for (StorageTier to : range.inwards(tier)) {
            if (space.fits(nowMs, node, to, block.block().lengthBytes())
                    && pools.admits(nowMs, node, block, tier, to)) {
                return orders.order(nowMs, node, block, tier, to, Cause.RULE, "");
            }
        }
        for (StorageTier to : range.inwards(tier)) {
            if (space.has(nowMs, node, to) && downMoves.forShare(nowMs, node, block, to)) {
                break;
            }
        }
        return false;
    }

    private void climb(long nowMs, Known block, Placed placed, TierRange range, BlockHeat heat, double reads) {
        StorageTier fastest = range.slowest();
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            DataNodeState node = clusterState.nodes().get(replica.node());
            if (tier != null && range.contains(tier) && tier.compareTo(fastest) < 0) {
                fastest = tier;
            }
            if (!range.allReplicas()
                    && node != null
                    && node.volumeMoves().open(block.block().id()) != null) {
                return;
            }
        }
        DataNodeState bestNode = null;
        Volumes best = null;
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            DataNodeState node = tier == null || !range.contains(tier) ? null : mover(nowMs, block, replica);
            if (tier == null || node == null) {
                continue;
            }
            // Where one replica is to climb, nothing makes room for a tier in which the block has one already.
            StorageTier above = range.allReplicas() ? tier : fastest;
            StorageTier to = faster(nowMs, node, block, tier, above, reads);
            if (to == null
                    || !clusterState.controlTrial().mayClimb(to, block.block().id())) {
                continue;
            }
            if (range.allReplicas()) {
                orders.order(nowMs, node, block, tier, to, Cause.HEAT, hot(reads));
            } else if (best == null
                    || to.compareTo(best.to()) < 0
                    || (to == best.to() && heat.shareOf(node) > heat.shareOf(bestNode))) {
                bestNode = node;
                best = new Volumes(tier, to);
            }
        }
        if (best != null && bestNode != null) {
            orders.order(nowMs, bestNode, block, best.from(), best.to(), Cause.HEAT, hot(reads));
        }
    }

    private static String hot(double reads) {
        return String.format(Locale.ROOT, ": %.1f reads of late, at least %.0f", reads, HOT_READS);
    }

    /**
     * The fastest tier above {@code above} with room; meanwhile lets a colder block of the same pool, or what others borrowed,
     * make room in one without. For a block of the control sample nothing makes room: a tier is named where something would.
     */
    private @Nullable StorageTier faster(
            long nowMs, DataNodeState node, Known block, StorageTier from, StorageTier above, double reads) {
        TierRange range = block.rule().tiers();
        boolean stays = clusterState.controlTrial().holds(block.block().id());
        for (StorageTier to : range == null ? List.<StorageTier>of() : range.fasterThan(above)) {
            if (!space.has(nowMs, node, to) || clusterState.controlTrial().isLeft(nowMs, to)) {
                continue;
            }
            if (space.fitsBelowHighWater(nowMs, node, to, block.block().lengthBytes())
                    && pools.admits(nowMs, node, block, from, to)) {
                return to;
            }
            if (stays) {
                if (downMoves.coldestIsMuchColder(nowMs, node, block, to, reads)) {
                    return to;
                }
            } else if (!downMoves.forShare(nowMs, node, block, to)) {
                downMoves.forHotter(nowMs, node, block, to, reads);
            }
        }
        return null;
    }

    private boolean sink(long nowMs, Known block, PlacedReplica replica, TierRange range) {
        StorageTier tier = replica.tier();
        DataNodeState node = tier == null || !range.contains(tier) ? null : mover(nowMs, block, replica);
        if (tier == null || node == null) {
            return false;
        }
        List<StorageTier> slower = range.slowerThan(tier);
        for (int i = slower.size() - 1; i >= 0; i--) {
            StorageTier to = slower.get(i);
            if (space.fitsBelowHighWater(nowMs, node, to, block.block().lengthBytes())
                    && pools.admits(nowMs, node, block, tier, to)) {
                return orders.order(nowMs, node, block, tier, to, Cause.COLD, ": not accessed for long");
            }
        }
        return false;
    }

    /** For people who may not see the patterns. */
    static String sentence(PathRule rule) {
        TierRange range = rule.tiers();
        return rule.name() + " keeps it in " + range
                + (range != null && range.boundByQuota()
                        ? " of its tiers: a quota by storage type binds it to the storage policy"
                        : "");
    }

    static String name(StorageTier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }
}
