package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the replicas of blocks were that a rule gives a range of tiers. A replica that is elsewhere without an order of
 * Terrace was moved by somebody else (Mover, Satisfier, Balancer): it is left alone for a time. Keeps as many blocks as the
 * heat does. Owned by the engine's thread.
 */
final class KnownReplicas {

    /** The NameNode hears of a move from the DataNode; until it does, what it says of the replica does not count. */
    static final long UNSURE_MS = 60_000;

    /** A block, the rule that gives its range, and its replicas. */
    static final class Known {
        private final List<Place> places = new ArrayList<>(1);
        private StampedBlock block;
        private PathRule rule;
        private int slot = PoolBytes.UNKNOWN;
        private int pools;
        private @Nullable String obstacle;
        /** By DataNode; those of other replicas are null. */
        private Map<String, String> obstacles = Map.of();

        private long lookedMs;
        private long climbsFromMs = Long.MIN_VALUE;

        private Known(StampedBlock block, PathRule rule) {
            this.block = block;
            this.rule = rule;
        }

        StampedBlock block() {
            return block;
        }

        PathRule rule() {
            return rule;
        }

        /** Why its replica on a DataNode may not be moved at all; null if it may. */
        @Nullable
        String obstacle(String node) {
            return obstacle != null && on(node) != null ? obstacle : obstacles.get(node);
        }

        /** When the NameNode was asked last. */
        long lookedMs() {
            return lookedMs;
        }

        /** Whether it may go up: one that made room for another one stays down for a time, else the two would take turns. */
        boolean mayClimb(long nowMs) {
            return nowMs >= climbsFromMs;
        }

        long climbsFromMs() {
            return climbsFromMs;
        }

        void staysDownUntil(long untilMs) {
            climbsFromMs = untilMs;
        }

        List<Place> places() {
            return places;
        }

        @Nullable
        Place on(String node) {
            for (Place place : places) {
                if (place.node.equals(node)) {
                    return place;
                }
            }
            return null;
        }
    }

    /** A replica. */
    static final class Place {
        private final String node;
        private StorageTier tier;
        private @Nullable StorageTier movingTo;
        /** Null for nearly all: there is one of these for each replica. */
        private @Nullable Hold hold;

        private Place(String node, StorageTier tier) {
            this.node = node;
            this.tier = tier;
        }

        String node() {
            return node;
        }

        StorageTier tier() {
            return tier;
        }

        /** Where a move that waits or is under way takes it; null without one. */
        @Nullable
        StorageTier movingTo() {
            return movingTo;
        }

        /** Whether we moved it, and the NameNode was not asked since or did not know yet. */
        boolean isUnsure(long nowMs) {
            return hold != null && nowMs < hold.unsureUntilMs;
        }

        /** Whether it may be moved: it was not moved by others lately, and the NameNode knows where it is. */
        boolean mayMove(long nowMs) {
            return !isUnsure(nowMs) && !isLeftAlone(nowMs);
        }

        boolean isLeftAlone(long nowMs) {
            return nowMs < leftAloneUntilMs();
        }

        long leftAloneUntilMs() {
            return hold == null ? Long.MIN_VALUE : hold.leftAloneUntilMs;
        }

        /** What others did, and who. */
        String movedBy() {
            return hold == null ? "" : hold.movedBy;
        }

        private Hold hold() {
            if (hold == null) {
                hold = new Hold();
            }
            return hold;
        }

        private void unsureUntil(long untilMs) {
            hold().unsureUntilMs = untilMs;
        }

        private void leaveAlone(long untilMs, String by) {
            hold().leftAloneUntilMs = untilMs;
            hold().movedBy = by;
        }

        /** The NameNode has it where it is known to be. */
        private void confirm(long nowMs) {
            if (isLeftAlone(nowMs)) {
                unsureUntil(Long.MIN_VALUE);
            } else {
                hold = null;
            }
        }
    }

    /** Why a replica may not be moved for a time. */
    private static final class Hold {
        private long unsureUntilMs = Long.MIN_VALUE;
        private long leftAloneUntilMs = Long.MIN_VALUE;
        private String movedBy = "";
    }

    private final ClusterState clusterState;
    private final int mostBlocks;
    private final long restMs;
    private final Long2ObjectLinkedOpenHashMap<Known> blocks = new Long2ObjectLinkedOpenHashMap<>();
    private final Long2LongLinkedOpenHashMap released = new Long2LongLinkedOpenHashMap();
    private final PoolBytes poolBytes = new PoolBytes();
    private int pools;

    KnownReplicas(ClusterState clusterState) {
        this.clusterState = clusterState;
        this.mostBlocks = clusterState.heatSettings().trackedBlocks();
        this.restMs = clusterState.moveSettings().volumes().othersRestMs();
    }

    @Nullable
    Known find(long blockId) {
        return blocks.get(blockId);
    }

    Collection<Known> all() {
        return blocks.values();
    }

    PoolBytes poolBytes() {
        return poolBytes;
    }

    /** Other pools hold from now on: which one a block is in shows when it is looked at again. */
    void forgetPools() {
        poolBytes.forgetPools();
        pools++;
    }

    void forget(long blockId) {
        Known known = blocks.remove(blockId);
        if (known != null) {
            count(known, -1);
        }
    }

    /** The pool that a block counts for in {@link PoolBytes}. */
    int slot(Known known) {
        return known.pools == pools ? known.slot : PoolBytes.UNKNOWN;
    }

    private void count(Known known, int sign) {
        int slot = slot(known);
        for (Place place : known.places) {
            poolBytes.count(place.node, place.tier, place.movingTo, slot, known.block.lengthBytes(), sign);
        }
    }

    private int slot(Placed placed, PathRule rule) {
        for (PlacedReplica replica : placed.replicas()) {
            DataNodeState node = clusterState.nodes().get(replica.node());
            if (node != null && node.residents().isPinnedFile(placed.block().id())) {
                return PoolBytes.PINNED;
            }
        }
        return rule.place() == PathRule.Place.PIN ? PoolBytes.PINNED : rule.pool();
    }

    /** Takes what the NameNode says of a block of whose heat nothing is known any more, by the rule that held. */
    void seeAgain(long nowMs, Placed placed) {
        Known known = blocks.get(placed.block().id());
        if (known != null) {
            see(nowMs, placed, known.rule);
        }
    }

    /** Takes what the NameNode says of a block that the rule gives a range. */
    Known see(long nowMs, Placed placed, PathRule rule) {
        Known known = blocks.getAndMoveToLast(placed.block().id());
        boolean isNew = known == null;
        if (known == null) {
            known = new Known(shared(placed.block()), rule);
            blocks.putAndMoveToLast(placed.block().id(), known);
            if (blocks.size() > mostBlocks) {
                count(blocks.removeFirst(), -1);
            }
        }
        count(known, -1);
        known.block = known.block.equals(placed.block()) ? known.block : shared(placed.block());
        known.rule = rule;
        known.slot = slot(placed, rule);
        known.pools = pools;
        known.lookedMs = nowMs;
        known.obstacle = placed.obstacle();
        known.obstacles = obstacles(placed);
        look(nowMs, known, placed, isNew);
        count(known, 1);
        return known;
    }

    /** The same object as the block's heat has, if that has the same: each is kept for as many blocks. */
    private StampedBlock shared(StampedBlock block) {
        BlockHeat heat = clusterState.heat().peek(block.id());
        return heat != null && heat.block().equals(block) ? heat.block() : block;
    }

    private static Map<String, String> obstacles(Placed placed) {
        Map<String, String> obstacles = new HashMap<>();
        for (PlacedReplica replica : placed.replicas()) {
            if (replica.obstacle() != null) {
                obstacles.put(replica.node(), replica.obstacle());
            }
        }
        return Map.copyOf(obstacles);
    }

    private void look(long nowMs, Known known, Placed placed, boolean isNew) {
        boolean left = known.places.removeIf(place -> placed.on(place.node) == null && isLive(place.node));
        known.places.removeIf(place -> placed.on(place.node) == null);
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            Place place = known.on(replica.node());
            if (tier == null) {
                known.places.remove(place);
            } else if (place == null) {
                Place came = new Place(replica.node(), tier);
                known.places.add(came);
                restIfReleased(nowMs, placed.block().id(), came);
                if (!isNew && left) {
                    moved(nowMs, came, "moved here from another DataNode");
                }
            } else if (place.tier == tier) {
                place.confirm(nowMs);
            } else if (!place.isUnsure(nowMs)
                    && !hasOpenMove(replica.node(), placed.block().id())) {
                moved(nowMs, place, "moved from " + TierKeeper.name(place.tier) + " to " + TierKeeper.name(tier));
                place.tier = tier;
            }
        }
        for (Place place : known.places) {
            place.movingTo = openMoveTo(place.node, placed.block().id());
        }
    }

    private void moved(long nowMs, Place place, String how) {
        place.leaveAlone(nowMs + restMs, how + " by others (Mover, Satisfier or Balancer)");
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_OTHERS);
    }

    /** An operator brought a block home: it stays there for as long as what others moved. */
    void released(long nowMs, long blockId) {
        released.putAndMoveToLast(blockId, nowMs + restMs);
        if (released.size() > mostBlocks) {
            released.removeFirstLong();
        }
        Known known = blocks.get(blockId);
        if (known != null) {
            known.places.forEach(place -> restIfReleased(nowMs, blockId, place));
        }
    }

    private void restIfReleased(long nowMs, long blockId, Place place) {
        long untilMs = released.getOrDefault(blockId, Long.MIN_VALUE);
        if (nowMs < untilMs) {
            place.leaveAlone(untilMs, "released by an operator to its storage policy");
        }
    }

    private boolean isLive(String node) {
        DataNodeState state = clusterState.nodes().get(node);
        return state != null && state.isLive();
    }

    private boolean hasOpenMove(String node, long blockId) {
        return openMoveTo(node, blockId) != null;
    }

    private @Nullable StorageTier openMoveTo(String node, long blockId) {
        DataNodeState state = clusterState.nodes().get(node);
        Move open = state == null ? null : state.volumeMoves().open(blockId);
        Volumes volumes = open == null ? null : open.volumes();
        return volumes == null ? null : volumes.to();
    }

    /** A move of the replica was ordered, or ended without one being made. */
    void movesChanged(String node, long blockId) {
        Known known = blocks.get(blockId);
        Place place = known == null ? null : known.on(node);
        if (known != null && place != null) {
            count(known, -1);
            place.movingTo = openMoveTo(node, blockId);
            count(known, 1);
        }
    }

    /** The DataNode says where the replica is after a move of ours; the NameNode hears it too, sooner or later. */
    void settled(long nowMs, String node, long blockId, StorageTier tier) {
        Known known = blocks.get(blockId);
        Place place = known == null ? null : known.on(node);
        if (known != null && place != null) {
            count(known, -1);
            place.tier = tier;
            place.movingTo = openMoveTo(node, blockId);
            place.unsureUntil(nowMs + UNSURE_MS);
            count(known, 1);
        }
    }

    /** What became of a move of ours is not known, so wherever the replica is, nobody else needs to have moved it. */
    void unknown(String node, long blockId) {
        Known known = blocks.get(blockId);
        if (known != null) {
            count(known, -1);
            known.places.removeIf(place -> place.node.equals(node));
            count(known, 1);
            if (known.places.isEmpty()) {
                blocks.remove(blockId);
            }
        }
    }
}
