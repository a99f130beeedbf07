package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Replicas of which no access is known, e.g. written and never read before the NameNode restarted: neither the sweep nor the
 * look for the coldest blocks finds them. DataNodes offer the oldest ones of the tiers that they are asked about, and those
 * go down by the same rules: by age ({@code keep}) and by high-water mark.
 *
 * <p>A DataNode is asked while accesses have been counted for long enough to know that nobody reads such a block, no more
 * moves wait than it may offer at once, and the NameNode's lock is held for little of the time. One whose last offers made nothing
 * go down is asked again after a pause. Owned by the engine's thread.
 */
final class OfferedBlocks {

    /** What is read at least once in so long is known after that time. */
    static final long KNOWN_BY_AGE_MS = TimeUnit.DAYS.toMillis(1);

    /** The same where a tier is full: what is read much is known by then, and goes down later than what is not. */
    static final long KNOWN_IF_FULL_MS = TimeUnit.MINUTES.toMillis(10);

    /** Of files whose range is below a tier: they are young while a job or a server still writes them. */
    static final long OUTSIDE_MS = TimeUnit.MINUTES.toMillis(10);

    /** Of files whose range an annotation gives, as it is not known which. */
    private static final long OF_ANNOTATIONS_MS = TimeUnit.HOURS.toMillis(1);

    /** After offers of which none goes down; doubled while there are only such. */
    static final long FIRST_PAUSE_MS = 1_000;

    static final long LONGEST_PAUSE_MS = 10_000;

    /** A DataNode is not asked for so long. */
    private record Pause(long lengthMs, long untilMs) {}

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final TierSpace space;
    private final TierKeeper keeper;
    private final BlockRanges ranges;
    private final LookQueue lookQueue;
    /** By UUID. */
    private final Map<String, Pause> pauses = new HashMap<>();

    OfferedBlocks(
            ClusterState clusterState,
            NamespaceView view,
            TierSpace space,
            TierKeeper keeper,
            BlockRanges ranges,
            LookQueue lookQueue) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.OFFERS);
        this.space = space;
        this.keeper = keeper;
        this.ranges = ranges;
        this.lookQueue = lookQueue;
    }

    /** Of which tiers, and how old, a DataNode is to offer replicas. */
    List<OffersWanted> wanted(long nowMs, DataNodeState node, PolicySpec spec) {
        if (spec.rules().isEmpty()
                || !node.takesVolumeMoves()
                || node.volumeMoves().waitingCount() >= HeartbeatLimits.OFFERS
                || isPausing(nowMs, node)
                || !view.mayLook()) {
            return List.of();
        }
        List<OffersWanted> wanted = new ArrayList<>();
        for (StorageTier tier : StorageTier.values()) {
            long leastAgeMs = leastAgeMs(tier, spec);
            if (leastAgeMs == Long.MAX_VALUE || !space.has(nowMs, node, tier)) {
                continue;
            }
            long heardForMs = clusterState.heardForMs(nowMs);
            if (heardForMs >= KNOWN_IF_FULL_MS && space.aboveHighWaterBytes(nowMs, node, tier, true) > 0) {
                wanted.add(new OffersWanted(tier, 0));
            } else if (heardForMs >= Math.min(leastAgeMs, KNOWN_BY_AGE_MS)) {
                wanted.add(new OffersWanted(tier, leastAgeMs));
            }
        }
        return wanted;
    }

    /** Other rules hold: what went nowhere may go down. */
    void rulesChanged() {
        pauses.clear();
    }

    private boolean isPausing(long nowMs, DataNodeState node) {
        Pause pause = pauses.get(node.uuid());
        return pause != null && nowMs < pause.untilMs;
    }

    private void pause(long nowMs, DataNodeState node) {
        if (pauses.size() > clusterState.nodes().size()) {
            pauses.keySet().retainAll(clusterState.nodes().keySet());
        }
        Pause before = pauses.get(node.uuid());
        long lengthMs = before == null ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * before.lengthMs);
        pauses.put(node.uuid(), new Pause(lengthMs, nowMs + lengthMs));
    }

    /** The shortest age by which any rule lets a block go down from a tier. */
    private long leastAgeMs(StorageTier tier, PolicySpec spec) {
        long leastMs = Long.MAX_VALUE;
        for (PathRule rule : spec.rules()) {
            TierRange range = TierRange.of(rule);
            if (range != null && range.isBelow(tier)) {
                leastMs = Math.min(leastMs, Math.min(OUTSIDE_MS, keeper.coldMs(range)));
            } else if (range != null
                    && range.contains(tier)
                    && !range.slowerThan(tier).isEmpty()) {
                leastMs = Math.min(leastMs, keeper.coldMs(range));
            }
            boolean isSlowest = tier == StorageTier.ARCHIVE;
            if (rule.annotations().contains(AnnotationWord.TIERS) && !isSlowest) {
                leastMs = Math.min(leastMs, OF_ANNOTATIONS_MS);
            }
        }
        return leastMs;
    }

    /**
     * Looks at replicas that a DataNode offers, with one hold of the lock.
     *
     * @return how many of them, the first ones: the others are offered again
     */
    int take(long nowMs, DataNodeState node, List<Offer> offers) {
        if (!view.mayLook()) {
            return 0;
        }
        int taken = 0;
        List<Offer> unknown = new ArrayList<>();
        while (taken < offers.size() && unknown.size() < view.lockBlocks()) {
            Offer offer = offers.get(taken++);
            BlockHeat heat = clusterState.heat().peek(offer.block().id());
            if (heat == null || !lookQueue.knowsRange(nowMs, heat)) {
                unknown.add(offer);
            }
        }
        clusterState.metricRegistry().add(Metric.PLACEMENT_VOLUME_OFFERED, taken);
        if (look(nowMs, node, unknown)) {
            pauses.remove(node.uuid());
        } else {
            pause(nowMs, node);
        }
        return taken;
    }

    /** @return whether any of them goes down */
    private boolean look(long nowMs, DataNodeState node, List<Offer> offers) {
        boolean anyGoes = false;
        List<@Nullable Placed> placed = offers.isEmpty()
                ? List.of()
                : view.placed(
                        offers.stream().map(Offer::block).map(StampedBlock::id).toList());
        for (int i = 0; i < placed.size(); i++) {
            Offer offer = offers.get(i);
            Placed found = placed.get(i);
            PathRule rule = found == null || !found.block().sameContent(offer.block()) ? null : ranges.of(found);
            if (found == null || rule == null) {
                continue;
            }
            BlockHeat heat = clusterState.heat().peek(found.block().id());
            if (heat != null) {
                // Its file was renamed into a range, and nobody has read it since.
                lookQueue.hasRange(nowMs, heat, ranges.ruleOf(found));
                keeper.decide(nowMs, found, heat, rule);
                anyGoes = true;
            } else if (keeper.offered(nowMs, node, found, rule, offer)) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_OFFERED_DOWN);
                anyGoes = true;
            }
        }
        return anyGoes;
    }
}
