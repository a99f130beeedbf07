package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.StateListener.Note;
import io.terrace.policy.api.PoolUsage;
import io.terrace.protocol.MoveOrder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps replicas in the tiers that the rules of the policy file, or annotations, give. Looks at blocks that were accessed
 * or moved, and at all whose heat is known once a minute ({@link LookQueue}), at each turn with no more than two holds of the
 * NameNode's read lock; at other blocks only as DataNodes offer them. Where nothing gives tiers it does nothing. Owned by the engine's thread.
 */
public final class VolumePlacement {

    private static final String NOT_SEEN = "; nothing of it moves before it is read, or a DataNode offers it";

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final NamespaceView walks;
    private final KnownReplicas known;
    private final TierPools pools;
    private final RangeOrders orders;
    private final DownMoves downMoves;
    private final TierKeeper keeper;
    private final OfferedBlocks offeredBlocks;
    private final HomeMoves homeMoves;
    private final PolicySatisfier satisfier;
    private final VolumeMoveDispatcher dispatcher;
    private final StayTexts texts;
    private final BlockRanges ranges;
    private final LookQueue lookQueue;
    private PolicySpec spec;
    private boolean sweepsFirst;

    public VolumePlacement(ClusterState clusterState, NamespaceView view, PolicySpec spec) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.VOLUMES);
        this.walks = view.askedBy(Asker.SATISFY);
        this.spec = spec;
        this.known = new KnownReplicas(clusterState);
        TierSpace space =
                new TierSpace(view, clusterState.moveSettings().volumes().highWater(), known.poolBytes());
        this.homeMoves = new HomeMoves(clusterState, known, space);
        this.satisfier = new PolicySatisfier(clusterState, view.policyGaps(), homeMoves, space, spec);
        this.pools = new TierPools(known, space, spec);
        this.orders = new RangeOrders(clusterState, known, space, pools);
        this.downMoves = new DownMoves(clusterState, known, space, pools, orders);
        this.keeper = new TierKeeper(clusterState, known, space, pools, orders, downMoves);
        this.ranges = new BlockRanges(spec);
        this.lookQueue = new LookQueue(clusterState, known, orders, keeper, spec);
        this.offeredBlocks = new OfferedBlocks(clusterState, view, space, keeper, ranges, lookQueue);
        this.dispatcher = new VolumeMoveDispatcher(clusterState, view, known, space, ranges);
        this.texts = new StayTexts(clusterState, known, space, pools);
    }

    /** Other rules hold from now on: what waits is decided on again, and all blocks are looked at. */
    public void rules(long nowMs, PolicySpec others) {
        spec = others;
        ranges.rules(others);
        lookQueue.rules(nowMs, others);
        pools.rules(others);
        downMoves.poolsChanged();
        satisfier.rules(others);
        offeredBlocks.rulesChanged();
        for (DataNodeState node : clusterState.nodes().values()) {
            dispatcher.withdraw(nowMs, node, "the rules changed");
        }
    }

    /** What the rules are of. */
    public PolicySpec spec() {
        return spec;
    }

    /** Annotations changed, of which files is not known: all blocks are looked at. */
    public void annotationsChanged(long nowMs) {
        if (!spec.rules().isEmpty()) {
            lookQueue.annotationsChanged(nowMs);
        }
    }

    /** A DataNode reported accesses. */
    public void accessed(long nowMs, List<Heat> heat) {
        if (!spec.rules().isEmpty()) {
            lookQueue.accessed(nowMs, heat);
        }
    }

    /**
     * Looks at some blocks, and lets tiers that are too full drain.
     *
     * @param moversNow DataNodes that take orders to move replicas between volumes
     */
    public void turn(long nowMs, int moversNow) {
        boolean idle = nothingHasTiers();
        lookQueue.movers(moversNow);
        if ((idle && !satisfier.isNeeded()) || view.stopsVolumeMoves() != null || moversNow == 0) {
            return;
        }
        if (walks.mayLook()) {
            satisfier.turn(nowMs);
        }
        if (idle) {
            return;
        }
        for (boolean sweeps : new boolean[] {sweepsFirst, !sweepsFirst}) {
            List<Long> next = view.mayLook() ? next(nowMs, sweeps) : List.of();
            if (!next.isEmpty()) {
                look(nowMs, next);
                // There may be time for one of them only, so who looked last comes last.
                sweepsFirst = !sweeps;
            }
        }
        downMoves.drain(nowMs);
    }

    private List<Long> next(long nowMs, boolean sweeps) {
        int most = view.lockBlocks();
        return sweeps ? lookQueue.nextOfSweep(nowMs, most) : lookQueue.nextAccessed(nowMs, most);
    }

    /** Replicas that a DataNode is to offer. */
    public List<OffersWanted> offersWanted(long nowMs, DataNodeState node) {
        return view.stopsVolumeMoves() == null ? offeredBlocks.wanted(nowMs, node, spec) : List.of();
    }

    /**
     * Replicas that a DataNode offers.
     *
     * @return how many of them were looked at, the first ones
     */
    public int offered(long nowMs, DataNodeState node, List<Offer> offers) {
        return offers.isEmpty() || view.stopsVolumeMoves() != null ? 0 : offeredBlocks.take(nowMs, node, offers);
    }

    /** Without a rule that gives tiers, blocks have them by annotations alone. */
    private boolean nothingHasTiers() {
        return !spec.hasTiers() && lookQueue.isIdle() && known.all().isEmpty();
    }

    private void look(long nowMs, List<Long> ids) {
        List<@Nullable Placed> placed = view.placed(ids);
        for (int i = 0; i < placed.size(); i++) {
            Placed block = placed.get(i);
            BlockHeat heat = clusterState.heat().peek(ids.get(i));
            if (block == null) {
                known.forget(ids.get(i));
            } else if (heat != null) {
                look(nowMs, block, heat);
            } else {
                lookWithoutHeat(nowMs, block);
            }
        }
    }

    /** Where a block is whose heat was forgotten still counts, while a rule gives it a range. */
    private void lookWithoutHeat(long nowMs, Placed block) {
        PathRule rule = ranges.of(block);
        if (rule == null) {
            known.forget(block.block().id());
        } else if (known.find(block.block().id()) != null) {
            keeper.decideWithoutHeat(nowMs, block, rule);
        }
    }

    /** What was noted before the NameNode was restarted. */
    public void remember(Note note) {
        known.remember(note);
        satisfier.remember(note);
    }

    private void look(long nowMs, Placed block, BlockHeat heat) {
        PathRule ofPath = ranges.ruleOf(block);
        if (lookQueue.isRuledSince(heat) && Objects.equals(heat.rule(), ofPath) && !spec.countsJobs()) {
            // Who asks by what rule it may be in memory need not look up its path.
            heat.rule(nowMs, spec, heat.rule());
        }
        PathRule rule = ranges.ifRange(block, ofPath);
        TierRange range = TierRange.of(rule);
        if (rule == null || range == null) {
            known.forget(block.block().id());
            return;
        }
        PathRule bound = BlockRanges.bound(block, rule, range);
        if (bound == null) {
            keeper.decide(nowMs, BlockRanges.stopped(block), heat, rule);
        } else {
            keeper.decide(nowMs, block, heat, bound);
        }
    }

    /**
     * Brings the replicas of a block home to its storage policy, and leaves it there for a time.
     *
     * @param dryRun says what would be moved, and changes nothing
     */
    public HomeMoves.Outcome release(long nowMs, Home home, boolean dryRun) {
        return homeMoves.release(nowMs, home, dryRun);
    }

    /** What is to be known of a range that holds no tier of the file's storage policy; null where it holds one, or there is none. */
    public @Nullable String offPolicy(Home home) {
        return ranges.offPolicy(home);
    }

    /** What {@code satisfy} wants of a block and what it waits for; null where nothing says it. */
    public @Nullable String satisfying(long nowMs, Home home) {
        return satisfier.sentence(nowMs, home);
    }

    /** DataNodes without a volume of a tier that {@code satisfy} wants replicas of theirs in. */
    public Map<StorageTier, Set<String>> lacking() {
        return satisfier.lacking();
    }

    /** The orders for a DataNode. */
    public List<MoveOrder> dispatch(long nowMs, DataNodeState node) {
        return dispatcher.dispatch(nowMs, node);
    }

    /**
     * Takes results of moves between volumes.
     *
     * @return results of other moves
     */
    public List<Result> results(long nowMs, long epoch, DataNodeState node, List<Result> results) {
        List<Result> others = dispatcher.results(nowMs, epoch, node, results);
        results.forEach(result -> lookQueue.moved(result.block().id()));
        return others;
    }

    /** The last answer to a DataNode did not arrive. */
    public void sendAgain(DataNodeState node) {
        dispatcher.sendAgain(node);
    }

    /** Gives up orders that no result came for. */
    public void expire(long nowMs, DataNodeState node) {
        dispatcher.expire(nowMs, node);
    }

    /** The DataNode is gone or was restarted. */
    public void abandon(long nowMs, DataNodeState node, String why) {
        dispatcher.abandon(nowMs, node, why);
    }

    /**
     * Which tiers a block is kept in, by which rule and in which pool; null if in none.
     *
     * @param placed the block as the NameNode has it now; null if that is not known
     */
    public @Nullable String range(long blockId, @Nullable Placed placed) {
        String range = texts.range(blockId);
        if (range != null || placed == null) {
            return range;
        }
        boolean stays = placed.obstacle() != null;
        PathRule rule = stays ? ranges.unbound(placed) : ranges.of(placed);
        return rule == null ? null : TierKeeper.sentence(rule) + (stays ? "" : NOT_SEEN);
    }

    /**
     * Why a replica stays where it is; null if nothing keeps it there.
     *
     * @param placed the block as the NameNode has it now; null if that is not known or the DataNode has no replica. Reads of
     *     erasure-coded blocks are not counted, so nobody looked at one before
     */
    public @Nullable String stays(long nowMs, long blockId, DataNodeState node, @Nullable Placed placed) {
        if (placed == null) {
            String obstacle = texts.obstacle(blockId, node);
            return obstacle != null ? obstacle : texts.stays(nowMs, blockId, node);
        }
        String obstacle = ranges.obstacle(placed, node.uuid());
        String stays = obstacle != null ? obstacle : texts.stays(nowMs, blockId, node);
        String stopped = stays != null ? null : view.stopsVolumeMoves();
        return stopped != null && ranges.unbound(placed) != null ? stopped : stays;
    }

    /** What each pool has of each tier below memory that the policy divides. */
    public List<PoolUsage> pools(long nowMs, DataNodeState node) {
        return pools.usages(nowMs, node);
    }
}
