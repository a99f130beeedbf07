package io.terrace.placement.volume;

import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.volume.KnownReplicas.Known;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks are to be looked at next for their tiers: those that were accessed or moved, and in a sweep every
 * {@value #SWEEP_MS} ms all whose heat is known, sooner where a DataNode came. Owned by the engine's thread.
 */
final class LookQueue {

    static final long SWEEP_MS = 60_000;

    /** A block that is accessed all the time is looked at that often, where a look may lead to a move. */
    static final long LOOK_AGAIN_MS = 5_000;

    /** Of more blocks that wait to be looked at, the sweep finds the others. */
    static final int MOST_ACCESSED = 100_000;

    /** Of those, how many are seen through at a turn for some that are due. */
    private static final int MOST_SEEN = 10_000;

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final RangeOrders orders;
    private final TierKeeper keeper;
    private final Set<Long> accessed = new LinkedHashSet<>();
    private PolicySpec spec;
    private long[] sweep = {};
    private int swept;
    private long sweepFromMs = Long.MIN_VALUE;
    private long changedMs = Long.MIN_VALUE;
    private boolean sweepsAll;
    private int movers;
    private boolean moversCame;

    LookQueue(ClusterState clusterState, KnownReplicas known, RangeOrders orders, TierKeeper keeper, PolicySpec spec) {
        this.clusterState = clusterState;
        this.known = known;
        this.orders = orders;
        this.keeper = keeper;
        this.spec = spec;
    }

    /** Other rules hold from now on. */
    void rules(long nowMs, PolicySpec others) {
        spec = others;
        changedMs = nowMs;
        accessed.clear();
        sweepAgain();
        sweepsAll = false;
    }

    /** Annotations changed, of which files is not known. */
    void annotationsChanged(long nowMs) {
        changedMs = nowMs;
        sweepsAll = true;
        sweepAgain();
    }

    private void sweepAgain() {
        sweep = new long[0];
        swept = 0;
        sweepFromMs = Long.MIN_VALUE;
    }

    /** So many DataNodes take orders: what the sweep saw before more of them did has replicas that it could not order. */
    void movers(int now) {
        moversCame |= now > movers;
        movers = now;
    }

    /** A DataNode reported accesses. Blocks at rest are left to the sweep, so that those few are seen through that are not. */
    void accessed(long nowMs, List<Heat> heat) {
        for (Heat entry : heat) {
            long id = entry.block().id();
            BlockHeat block = clusterState.heat().peek(id);
            if (block != null
                    && accessed.size() < MOST_ACCESSED
                    && block.isRuledBy(spec)
                    && TierRange.of(block.rule()) != null
                    && !isAtRest(nowMs, known.find(id))) {
                accessed.add(id);
            }
        }
    }

    /** A move of the block ended. It was left alone meanwhile, so nobody looked at what was decided, such as by other rules. */
    void moved(long id) {
        if (known.find(id) != null && !known.isOffered(id) && accessed.size() < MOST_ACCESSED) {
            accessed.add(id);
        }
    }

    /** Whether nothing waits, and no annotation changed. */
    boolean isIdle() {
        return !sweepsAll && accessed.isEmpty();
    }

    /** Whether the rule of a block was noted after rules and annotations had changed last. */
    boolean isRuledSince(BlockHeat heat) {
        return heat.isRuledBy(spec) && heat.ruledMs() > changedMs;
    }

    /** Whether nobody need look whether a block has a range: the sweep does, or its path was looked up within a minute. */
    boolean knowsRange(long nowMs, BlockHeat heat) {
        return mayHaveTiers(heat) || nowMs - heat.ruledMs() < SWEEP_MS;
    }

    /** A rule gives a block a range that it had not when its path was looked up before: the sweep looks at it from now on. */
    void hasRange(long nowMs, BlockHeat heat, @Nullable PathRule rule) {
        heat.rule(nowMs, spec, rule);
    }

    /** The next of those that were accessed, at most so many. */
    List<Long> nextAccessed(long nowMs, int most) {
        List<Long> next = new ArrayList<>();
        int seen = 0;
        Iterator<Long> ids = accessed.iterator();
        while (ids.hasNext() && next.size() < most && seen++ < MOST_SEEN) {
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

    /** The next of the sweep, at most so many; none while it pauses. */
    List<Long> nextOfSweep(long nowMs, int most) {
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
        while (swept < sweep.length && next.size() < most) {
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

    /** A rename is noticed with the next access, or when a DataNode offers the block. */
    private boolean mayHaveTiers(BlockHeat heat) {
        return isRuledSince(heat)
                ? TierRange.of(heat.rule()) != null
                : spec.hasTiers() || sweepsAll || known.find(heat.block().id()) != null;
    }
}
