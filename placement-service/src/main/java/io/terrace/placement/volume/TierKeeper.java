package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.volume.ColdestBlocks.Cold;
import io.terrace.placement.volume.KnownReplicas.Known;
import io.terrace.placement.volume.KnownReplicas.Place;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides which replicas of a block move, by the range of tiers that its rule gives:
 *
 * <ul>
 *   <li>A replica outside the range is brought into it, to the nearest tier that the DataNode has and where it fits.
 *   <li>One replica of a block with at least {@value #HOT_READS} reads of late (all of them, where the rule says so) climbs
 *       to the fastest tier of the range below its high-water mark. If that tier is full and a block there was read less
 *       than half as much, that one goes down first.
 *   <li>Replicas of a block that was not accessed for long go down to the slowest tier of the range.
 *   <li>If a tier is above its high-water mark, its coldest blocks go down.
 * </ul>
 *
 * <p>A block without a range stays where HDFS put it. Owned by the engine's thread.
 */
final class TierKeeper {

    static final double HOT_READS = 3;

    /** How much hotter a block must be than one that makes room for it, so that the two do not take turns. */
    private static final double MUCH_HOTTER = 2;

    /** For which a block that made room does not go up again. */
    static final long STAYS_DOWN_MS = 600_000;

    private static final long DRAIN_MS = 1_000;

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;
    private final ColdestBlocks coldest;
    private long drainedMs = Long.MIN_VALUE;
    private boolean overflowed;

    TierKeeper(ClusterState clusterState, KnownReplicas known, TierSpace space) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
        this.coldest = new ColdestBlocks(clusterState, known);
    }

    /** Whether too many moves waited since {@link #clearOverflowed}, so that some blocks are to be looked at again. */
    boolean hasOverflowed() {
        return overflowed;
    }

    void clearOverflowed() {
        overflowed = false;
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
        long coldMs = range.keepMs() > 0
                ? range.keepMs()
                : clusterState.moveSettings().volumes().coldMs();
        if (reads >= HOT_READS && block.mayClimb(nowMs)) {
            climb(nowMs, block, placed, range, heat, reads);
        } else if (nowMs - heat.lastMs() >= coldMs) {
            sink(nowMs, block, placed, range);
        }
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

    private void bringIn(long nowMs, Known block, PlacedReplica replica, StorageTier tier, TierRange range) {
        DataNodeState node = mover(nowMs, block, replica);
        if (node == null) {
            return;
        }
        for (StorageTier to : range.inwards(tier)) {
            if (space.fits(nowMs, node, to, block.block().lengthBytes())) {
                order(nowMs, node, block, new Volumes(tier, to), Cause.RULE, "");
                return;
            }
        }
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
            StorageTier to = faster(nowMs, node, block, above, range, reads);
            if (to == null) {
                continue;
            }
            Volumes volumes = new Volumes(tier, to);
            if (range.allReplicas()) {
                order(nowMs, node, block, volumes, Cause.HEAT, hot(reads));
            } else if (best == null
                    || to.compareTo(best.to()) < 0
                    || (to == best.to() && heat.shareOf(node) > heat.shareOf(bestNode))) {
                bestNode = node;
                best = volumes;
            }
        }
        if (best != null && bestNode != null) {
            order(nowMs, bestNode, block, best, Cause.HEAT, hot(reads));
        }
    }

    private static String hot(double reads) {
        return String.format(Locale.ROOT, ": %.1f reads of late, at least %.0f", reads, HOT_READS);
    }

    /** The fastest tier above this one with room; lets a colder block there make room for it meanwhile. */
    private @Nullable StorageTier faster(
            long nowMs, DataNodeState node, Known block, StorageTier above, TierRange range, double reads) {
        for (StorageTier to : range.fasterThan(above)) {
            if (!space.has(nowMs, node, to)) {
                continue;
            }
            if (space.fitsBelowHighWater(nowMs, node, to, block.block().lengthBytes())) {
                return to;
            }
            Cold cold = coldest.peek(nowMs, node.uuid(), to);
            if (cold != null && reads >= MUCH_HOTTER * cold.heat() + 1) {
                coldest.take(node.uuid(), to);
                makeRoom(nowMs, node, cold.block(), to, ": a block with more reads is to take its room");
            }
        }
        return null;
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
            if (space.fitsBelowHighWater(nowMs, node, to, block.block().lengthBytes())) {
                block.staysDownUntil(nowMs + STAYS_DOWN_MS);
                return order(nowMs, node, block, new Volumes(tier, to), Cause.FULL, why);
            }
        }
        return false;
    }

    private void sink(long nowMs, Known block, Placed placed, TierRange range) {
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            DataNodeState node = tier == null || !range.contains(tier) ? null : mover(nowMs, block, replica);
            if (tier == null || node == null) {
                continue;
            }
            List<StorageTier> slower = range.slowerThan(tier);
            for (int i = slower.size() - 1; i >= 0; i--) {
                if (space.fitsBelowHighWater(
                        nowMs, node, slower.get(i), block.block().lengthBytes())) {
                    String why = ": not accessed for long";
                    order(nowMs, node, block, new Volumes(tier, slower.get(i)), Cause.COLD, why);
                    break;
                }
            }
        }
    }

    /** Lets the coldest blocks of tiers above their high-water mark go down. */
    void drain(long nowMs) {
        if (drainedMs != Long.MIN_VALUE && nowMs - drainedMs < DRAIN_MS) {
            return;
        }
        drainedMs = nowMs;
        space.retain(clusterState.nodes());
        for (DataNodeState node : clusterState.nodes().values()) {
            if (node.takesVolumeMoves()) {
                for (StorageTier tier : StorageTier.values()) {
                    drain(nowMs, node, tier);
                }
            }
        }
    }

    private void drain(long nowMs, DataNodeState node, StorageTier tier) {
        while (space.aboveHighWaterBytes(nowMs, node, tier, true) > 0
                && !node.volumeMoves().isFull()) {
            Cold cold = coldest.peek(nowMs, node.uuid(), tier);
            if (cold == null) {
                return;
            }
            coldest.take(node.uuid(), tier);
            makeRoom(nowMs, node, cold.block(), tier, ": " + name(tier) + " is above its high-water mark");
        }
    }

    private boolean order(long nowMs, DataNodeState node, Known block, Volumes volumes, Cause cause, String why) {
        if (node.volumeMoves().isFull()) {
            overflowed = true;
            return false;
        }
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_MOVES_WISHED);
        Volumes kept = new Volumes(volumes.from(), volumes.to(), true);
        clusterState.moveTracker().between(nowMs, node, kept, block.block(), cause, sentence(block.rule()) + why);
        space.take(nowMs, node, volumes, block.block().lengthBytes());
        return true;
    }

    /** For people who may not see the patterns. */
    static String sentence(PathRule rule) {
        return rule.name() + " keeps it in " + rule.tiers();
    }

    static String name(StorageTier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }
}
