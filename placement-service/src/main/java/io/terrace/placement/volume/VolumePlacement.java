package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.StateListener.Note;
import io.terrace.placement.volume.KnownReplicas.Known;
import io.terrace.policy.api.PoolUsage;
import io.terrace.protocol.MoveOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps replicas in the tiers that the rules of the policy file, or annotations, give. Looks at blocks that were accessed
 * or moved, and at all that are known every {@value #SWEEP_MS} ms, sooner where a DataNode came, at each turn at no more than two holds of the NameNode's read
 * lock; other blocks it never looks at. Where nothing gives tiers it does nothing. Owned by the engine's thread.
 */
public final class VolumePlacement {

    static final long SWEEP_MS = 60_000;

    /** A block that is accessed all the time is looked at that often, where a look may lead to a move. */
    static final long LOOK_AGAIN_MS = 5_000;

    /** Of more blocks that wait to be looked at, the sweep finds the others. */
    static final int MOST_ACCESSED = 100_000;

    /** Of those, how many are seen through at a turn for some that are due. */
    private static final int MOST_SEEN = 10_000;

    private static final String NOT_SEEN = "; nothing of it moves before it is read, or a DataNode offers it";
    private static final String NOTHING_WITHIN =
            "a directory above it has a quota by storage type, and its storage policy has no type within these tiers";

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
    private final Set<Long> accessed = new LinkedHashSet<>();
    private PolicySpec spec;
    private long[] sweep = {};
    private int swept;
    private long sweepFromMs = Long.MIN_VALUE;
    private long changedMs = Long.MIN_VALUE;
    private boolean sweepsAll;
    private int movers;
    private boolean moversCame;
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
        this.offeredBlocks = new OfferedBlocks(clusterState, view, space, keeper, this::boundRule);
        this.dispatcher = new VolumeMoveDispatcher(clusterState, view, known, space, this::boundRule);
        this.texts = new StayTexts(clusterState, known, space, pools);
    }

    /** Other rules hold from now on: what waits is decided on again, and all blocks are looked at. */
    public void rules(long nowMs, PolicySpec others) {
        spec = others;
        changedMs = nowMs;
        accessed.clear();
        sweepAgain();
        sweepsAll = false;
        pools.rules(others);
        downMoves.poolsChanged();
        satisfier.rules(others);
        offeredBlocks.rulesChanged();
        for (DataNodeState node : clusterState.nodes().values()) {
            dispatcher.withdraw(nowMs, node, "the rules changed");
        }
    }

    private void sweepAgain() {
        sweep = new long[0];
        swept = 0;
        sweepFromMs = Long.MIN_VALUE;
    }

    /** Annotations changed, of which files is not known: all blocks are looked at. */
    public void annotationsChanged(long nowMs) {
        if (!spec.rules().isEmpty()) {
            changedMs = nowMs;
            sweepsAll = true;
            sweepAgain();
        }
    }

    /** A DataNode reported accesses. Blocks at rest are left to the sweep, so that those few are seen through that are not. */
    public void accessed(long nowMs, List<Heat> heat) {
        if (spec.rules().isEmpty()) {
            return;
        }
        for (Heat entry : heat) {
            long id = entry.block().id();
            BlockHeat block = clusterState.heat().peek(id);
            if (block != null
                    && block.isRuledBy(spec)
                    && TierRange.of(block.rule()) != null
                    && accessed.size() < MOST_ACCESSED
                    && !isAtRest(nowMs, known.find(id))) {
                accessed.add(id);
            }
        }
    }

    /**
     * Looks at some blocks, and lets tiers that are too full drain.
     *
     * @param moversNow DataNodes that take orders to move replicas between volumes
     */
    public void turn(long nowMs, int moversNow) {
        boolean idle = nothingHasTiers();
        int moversBefore = movers;
        movers = moversNow;
        // What the sweep saw before has replicas that it could not order.
        moversCame |= movers > moversBefore;
        if ((idle && !satisfier.isNeeded()) || view.stopsVolumeMoves() != null || movers == 0) {
            return;
        }
        if (walks.mayLook()) {
            satisfier.turn(nowMs);
        }
        if (idle) {
            return;
        }
        for (boolean sweeps : new boolean[] {sweepsFirst, !sweepsFirst}) {
            List<Long> next = !view.mayLook() ? List.of() : sweeps ? nextOfSweep(nowMs) : nextAccessed(nowMs);
            if (!next.isEmpty()) {
                look(nowMs, next);
                // There may be time for one of them only, so who looked last comes last.
                sweepsFirst = !sweeps;
            }
        }
        downMoves.drain(nowMs);
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
        return offers.isEmpty() || view.stopsVolumeMoves() != null ? 0 : offeredBlocks.take(nowMs, node, spec, offers);
    }

    /** Without a rule that gives tiers, blocks have them by annotations alone. */
    private boolean nothingHasTiers() {
        return !spec.hasTiers()
                && !sweepsAll
                && accessed.isEmpty()
                && known.all().isEmpty();
    }

    private List<Long> nextAccessed(long nowMs) {
        List<Long> next = new ArrayList<>();
        int seen = 0;
        Iterator<Long> ids = accessed.iterator();
        while (ids.hasNext() && next.size() < view.lockBlocks() && seen++ < MOST_SEEN) {
            long id = ids.next();
            Known before = known.find(id);
            if (isAtRest(nowMs, before)) {
                ids.remove();
            } else if (before == null || nowMs - before.lookedMs() >= LOOK_AGAIN_MS) {
                next.add(id);
                ids.remove();
            }
        }
        return next;
    }

    /** Whether the block was looked at within a minute, and another look would lead to no move as far as is known. */
    private boolean isAtRest(long nowMs, @Nullable Known block) {
        if (block == null || nowMs - block.lookedMs() >= SWEEP_MS || block.lookedMs() <= changedMs) {
            return false;
        }
        BlockHeat heat = clusterState.heat().peek(block.block().id());
        return heat != null && keeper.isAtRest(nowMs, block, heat);
    }

    private List<Long> nextOfSweep(long nowMs) {
        if (swept >= sweep.length) {
            long pauseMs = orders.hasOverflowed() || moversCame ? LOOK_AGAIN_MS : SWEEP_MS;
            if (sweepFromMs != Long.MIN_VALUE && nowMs - sweepFromMs < pauseMs) {
                return List.of();
            }
            boolean first = sweepFromMs == Long.MIN_VALUE;
            sweepFromMs = nowMs;
            sweepsAll = sweepsAll && first;
            orders.clearOverflowed();
            moversCame = false;
            sweep = sweepIds();
            swept = 0;
        }
        List<Long> next = new ArrayList<>();
        while (swept < sweep.length && next.size() < view.lockBlocks()) {
            long id = sweep[swept++];
            BlockHeat heat = clusterState.heat().peek(id);
            if (heat == null ? known.find(id) != null : mayHaveTiers(heat)) {
                next.add(id);
            }
        }
        return next;
    }

    /** Blocks whose heat is known, and known ones whose heat was forgotten. Those that were offered are known while they move. */
    private long[] sweepIds() {
        return LongStream.concat(
                        Arrays.stream(clusterState.heat().ids()),
                        known.all().stream()
                                .mapToLong(block -> block.block().id())
                                .filter(id -> clusterState.heat().peek(id) == null && !known.isOffered(id)))
                .toArray();
    }

    /** A rename is noticed with the next access. */
    private boolean mayHaveTiers(BlockHeat heat) {
        return heat.isRuledBy(spec) && heat.ruledMs() > changedMs
                ? TierRange.of(heat.rule()) != null
                : spec.hasTiers() || sweepsAll || known.find(heat.block().id()) != null;
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
        PathRule rule = boundRule(block);
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

    /** The rule that gives a block a range; null if none does. */
    private @Nullable PathRule rangeRule(Placed block) {
        return range(block, spec.ruleFor(block.path(), block.annotations()).rule());
    }

    private @Nullable PathRule range(Placed block, @Nullable PathRule rule) {
        RuleDecision decision = spec.decide(rule, block.block().lengthBytes());
        return TierRange.of(rule) != null && decision.fits() ? rule : null;
    }

    private void look(long nowMs, Placed block, BlockHeat heat) {
        PathRule ofPath = spec.ruleFor(block.path(), block.annotations()).rule();
        if (heat.isRuledBy(spec)
                && heat.ruledMs() > changedMs
                && Objects.equals(heat.rule(), ofPath)
                && !spec.countsJobs()) {
            // Who asks by what rule it may be in memory need not look up its path.
            heat.rule(nowMs, spec, heat.rule());
        }
        PathRule rule = range(block, ofPath);
        TierRange range = TierRange.of(rule);
        if (rule == null || range == null) {
            known.forget(block.block().id());
            return;
        }
        PathRule bound = bound(block, rule, range);
        if (bound == null) {
            keeper.decide(nowMs, block.stopped(NOTHING_WITHIN), heat, rule);
        } else {
            keeper.decide(nowMs, block, heat, bound);
        }
    }

    /** The rule with what a quota by storage type leaves of its range; null if nothing. */
    private static @Nullable PathRule bound(Placed block, PathRule rule, TierRange range) {
        if (block.quotaTiers() == null) {
            return rule;
        }
        TierRange within = range.within(block.quotaTiers());
        return within == null ? null : rule.within(within);
    }

    private @Nullable PathRule boundRule(Placed block) {
        PathRule rule = rangeRule(block);
        TierRange range = TierRange.of(rule);
        return rule == null || range == null ? null : bound(block, rule, range);
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
        TierRange range = TierRange.of(boundRule(home.placed()));
        return range == null || home.tiers().isEmpty() || home.tiers().stream().anyMatch(range::contains)
                ? null
                : "storage policy " + home.policy()
                        + " wants none of these types: hdfs mover takes replicas out of them";
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
        // A block is left alone while it moves, so nobody looked at what was decided meanwhile, such as by other rules.
        for (Result result : results) {
            long id = result.block().id();
            if (known.find(id) != null && !known.isOffered(id) && accessed.size() < MOST_ACCESSED) {
                accessed.add(id);
            }
        }
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
        PathRule rule = stays ? rangeRule(placed) : boundRule(placed);
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
        String obstacle = obstacle(placed, node);
        String stays = obstacle != null ? obstacle : texts.stays(nowMs, blockId, node);
        String stopped = stays != null ? null : view.stopsVolumeMoves();
        return stopped != null && rangeRule(placed) != null ? stopped : stays;
    }

    /** Why a replica in a range may not be moved at all. */
    private @Nullable String obstacle(Placed placed, DataNodeState node) {
        String obstacle = placed.obstacleOn(node.uuid());
        List<StorageTier> quotaTiers = placed.quotaTiers();
        TierRange range = obstacle == null && quotaTiers == null ? null : TierRange.of(rangeRule(placed));
        if (range == null) {
            return null;
        }
        boolean noneWithin = quotaTiers != null && range.within(quotaTiers) == null;
        return obstacle == null && noneWithin ? NOTHING_WITHIN : obstacle;
    }

    /** What each pool has of each tier below memory that the policy divides. */
    public List<PoolUsage> pools(long nowMs, DataNodeState node) {
        return pools.usages(nowMs, node);
    }
}
