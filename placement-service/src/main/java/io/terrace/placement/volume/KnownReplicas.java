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
import io.terrace.placement.state.StateListener.Note;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the replicas of blocks were that a rule gives a range of tiers. A replica that is elsewhere without an order of
 * Terrace was moved by somebody else (Mover, Satisfier, Balancer): it is left alone for a time. Keeps as many blocks as the
 * heat does. Owned by the engine's thread.
 */
final class KnownReplicas {

    /** The NameNode hears of a move from the DataNode; until it does, what it says of the replica does not count. */
    static final long UNSURE_MS = 60_000;

    /** Tiers of DataNodes; beyond, objects are not shared with those before. */
    private static final int MOST_AT_REST = 100_000;

    private static final Place[] NOWHERE = {};

    /**
     * A block, the rule that gives its range, and its replicas. There are as many as blocks whose heat is known, so what few of them
     * have is elsewhere.
     */
    static final class Known {
        private Place[] places = NOWHERE;
        private StampedBlock block;
        private PathRule rule;
        private int slot = PoolBytes.UNKNOWN;
        private Obstacles obstacles = Obstacles.NONE;
        private long lookedMs;

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
            return obstacles.on(node, on(node) != null);
        }

        /** When the NameNode was asked last. */
        long lookedMs() {
            return lookedMs;
        }

        List<Place> places() {
            return List.of(places);
        }

        @Nullable
        Place on(String node) {
            for (Place place : places) {
                if (place.node().equals(node)) {
                    return place;
                }
            }
            return null;
        }

        /** In place of what was known of the replica on that DataNode. */
        private void put(Place place) {
            for (int i = 0; i < places.length; i++) {
                if (places[i].node().equals(place.node())) {
                    places[i] = place;
                    return;
                }
            }
            places = Arrays.copyOf(places, places.length + 1);
            places[places.length - 1] = place;
        }

        private boolean removeIf(Predicate<Place> gone) {
            int before = places.length;
            places = Stream.of(places).filter(gone.negate()).toArray(Place[]::new);
            return places.length < before;
        }
    }

    private final ClusterState clusterState;
    private final int mostBlocks;
    private final long restMs;
    private final Long2ObjectLinkedOpenHashMap<Known> blocks = new Long2ObjectLinkedOpenHashMap<>();
    private final Long2LongLinkedOpenHashMap released = new Long2LongLinkedOpenHashMap();
    /** Those of which no access is known; they move. */
    private final LongOpenHashSet offered = new LongOpenHashSet();

    private final PoolBytes poolBytes = new PoolBytes();
    private final HeldReplicas held;
    /** One object for all replicas of a tier of a DataNode of which no more is known. */
    private final Map<Place, Place> atRest = new HashMap<>();

    /** Until when blocks that made room for others stay down. */
    private final Long2LongLinkedOpenHashMap down = new Long2LongLinkedOpenHashMap();

    KnownReplicas(ClusterState clusterState) {
        this.clusterState = clusterState;
        this.mostBlocks = clusterState.heatSettings().trackedBlocks();
        this.restMs = clusterState.moveSettings().volumes().othersRestMs();
        this.held = new HeldReplicas(clusterState);
    }

    /** What was noted before the NameNode was restarted. */
    void remember(Note note) {
        held.remember(note);
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
        blocks.values().forEach(known -> known.slot = PoolBytes.UNKNOWN);
    }

    void forget(long blockId) {
        offered.remove(blockId);
        Known known = blocks.remove(blockId);
        if (known != null) {
            count(known, -1);
        }
    }

    /** The pool that a block counts for in {@link PoolBytes}. */
    int slot(Known known) {
        return known.slot;
    }

    /** Whether it may go up: one that made room for another one stays down for a time, else the two would take turns. */
    boolean mayClimb(long nowMs, long blockId) {
        return nowMs >= climbsFromMs(blockId);
    }

    long climbsFromMs(long blockId) {
        return down.getOrDefault(blockId, Long.MIN_VALUE);
    }

    void staysDown(long nowMs, long blockId, long forMs) {
        while (!down.isEmpty() && (down.size() >= mostBlocks || down.get(down.firstLongKey()) <= nowMs)) {
            down.removeFirstLong();
        }
        down.putAndMoveToLast(blockId, nowMs + forMs);
    }

    private void count(Known known, int sign) {
        int slot = slot(known);
        for (Place place : known.places) {
            poolBytes.count(place.node(), place.tier(), place.movingTo(), slot, known.block.lengthBytes(), sign);
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

    /** Takes what the NameNode says of a block that the rule gives a range. */
    Known see(long nowMs, Placed placed, PathRule rule) {
        offered.remove(placed.block().id());
        Known known = update(nowMs, placed, rule);
        while (blocks.size() - offered.size() > mostBlocks) {
            long first = blocks.firstLongKey();
            offered.remove(first);
            count(blocks.removeFirst(), -1);
        }
        return known;
    }

    /** The same for a block that a DataNode offered. It makes no other one leave, as it is forgotten when it does not move. */
    Known seeOffered(long nowMs, Placed placed, PathRule rule) {
        offered.add(placed.block().id());
        return update(nowMs, placed, rule);
    }

    /** Whether a block is known because a DataNode offered it, and for nothing else. */
    boolean isOffered(long blockId) {
        return offered.contains(blockId);
    }

    private Known update(long nowMs, Placed placed, PathRule rule) {
        Known known = blocks.getAndMoveToLast(placed.block().id());
        boolean isNew = known == null;
        if (known == null) {
            known = new Known(shared(placed.block()), rule);
            blocks.putAndMoveToLast(placed.block().id(), known);
        }
        count(known, -1);
        known.block = known.block.equals(placed.block()) ? known.block : shared(placed.block());
        known.rule = rule;
        known.slot = slot(placed, rule);
        known.lookedMs = nowMs;
        known.obstacles = Obstacles.of(placed);
        look(nowMs, known, placed, isNew);
        count(known, 1);
        return known;
    }

    /** The same object as the block's heat has, if that has the same: each is kept for as many blocks. */
    private StampedBlock shared(StampedBlock block) {
        BlockHeat heat = clusterState.heat().peek(block.id());
        return heat != null && heat.block().equals(block) ? heat.block() : block;
    }

    private void look(long nowMs, Known known, Placed placed, boolean isNew) {
        boolean left = known.removeIf(place -> placed.on(place.node()) == null && isLive(place.node()));
        known.removeIf(place -> placed.on(place.node()) == null);
        for (PlacedReplica replica : placed.replicas()) {
            StorageTier tier = replica.tier();
            if (tier == null) {
                known.removeIf(place -> place.node().equals(replica.node()));
            } else {
                Place seen = seen(nowMs, known, replica.node(), tier, !isNew && left);
                put(known, seen.moving(openMoveTo(replica.node(), known.block.id())));
            }
        }
    }

    /** A replica, by what was known of it and by the tier that the NameNode says. */
    private Place seen(long nowMs, Known known, String node, StorageTier tier, boolean otherLeft) {
        long blockId = known.block.id();
        Place before = known.on(node);
        if (before == null) {
            Place came = restIfReleased(nowMs, blockId, held.remembered(nowMs, blockId, new Place(node, tier)));
            return otherLeft ? moved(nowMs, blockId, came, "moved here from another DataNode") : came;
        }
        if (before.tier() == tier) {
            // A slow journal may tell only now that others moved it.
            Place confirmed = before.confirmed(nowMs);
            return confirmed.isLeftAlone(nowMs) ? confirmed : held.remembered(nowMs, blockId, confirmed);
        }
        if (before.isUnsure(nowMs) || hasOpenMove(node, blockId)) {
            return before;
        }
        String how = "moved from " + TierKeeper.name(before.tier()) + " to " + TierKeeper.name(tier);
        return moved(nowMs, blockId, before.in(tier), how);
    }

    private void put(Known known, Place place) {
        if (!place.isAtRest()) {
            known.put(place);
            return;
        }
        if (atRest.size() >= MOST_AT_REST) {
            atRest.clear();
        }
        known.put(atRest.computeIfAbsent(place, one -> one));
    }

    private Place moved(long nowMs, long blockId, Place place, String how) {
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_OTHERS);
        Place left = place.leftAlone(nowMs + restMs, how + " by others (Mover, Satisfier or Balancer)");
        held.note(blockId, left);
        return left;
    }

    /** An operator brought a block home: it stays there for as long as what others moved. */
    void released(long nowMs, long blockId) {
        released.putAndMoveToLast(blockId, nowMs + restMs);
        if (released.size() > mostBlocks) {
            released.removeFirstLong();
        }
        Known known = blocks.get(blockId);
        if (known != null) {
            known.places().forEach(place -> put(known, restIfReleased(nowMs, blockId, place)));
        }
    }

    private Place restIfReleased(long nowMs, long blockId, Place place) {
        long untilMs = released.getOrDefault(blockId, Long.MIN_VALUE);
        return nowMs < untilMs ? place.leftAlone(untilMs, "released by an operator to its storage policy") : place;
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
            put(known, place.moving(openMoveTo(node, blockId)));
            count(known, 1);
        }
        forgetIfOffered(blockId);
    }

    /** The DataNode offers a block again if there is more to do, so it is known only while one of its replicas moves. */
    private void forgetIfOffered(long blockId) {
        Known known = blocks.get(blockId);
        if (known != null
                && offered.contains(blockId)
                && Stream.of(known.places).allMatch(place -> place.movingTo() == null)) {
            forget(blockId);
        }
    }

    /** The DataNode says where the replica is after a move of ours; the NameNode hears it too, sooner or later. */
    void settled(long nowMs, String node, long blockId, StorageTier tier) {
        Known known = blocks.get(blockId);
        Place place = known == null ? null : known.on(node);
        if (known != null && place != null) {
            count(known, -1);
            Place settled = place.in(tier).moving(openMoveTo(node, blockId));
            put(known, settled.unsureUntil(nowMs + UNSURE_MS));
            count(known, 1);
        }
        forgetIfOffered(blockId);
    }

    /** What became of a move of ours is not known, so wherever the replica is, nobody else needs to have moved it. */
    void unknown(String node, long blockId) {
        Known known = blocks.get(blockId);
        if (known != null) {
            count(known, -1);
            known.removeIf(place -> place.node().equals(node));
            count(known, 1);
            if (known.places.length == 0) {
                offered.remove(blockId);
                blocks.remove(blockId);
            }
        }
        forgetIfOffered(blockId);
    }
}
