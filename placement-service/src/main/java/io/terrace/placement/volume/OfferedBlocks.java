package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Replicas of which no access is known, e.g. written and never read before the NameNode restarted: neither the sweep nor the
 * look for the coldest blocks finds them. DataNodes offer the oldest ones of the tiers that they are asked about, and those
 * go down by the same rules: by age ({@code keep}) and by high-water mark.
 *
 * <p>A DataNode is asked while accesses have been counted for long enough to know that nobody reads such a block, no more
 * moves wait than it may offer at once, and the NameNode's lock is held for little of the time. Owned by the engine's thread.
 */
final class OfferedBlocks {

    /** What is read at least once in so long is known after that time. */
    static final long KNOWN_BY_AGE_MS = TimeUnit.DAYS.toMillis(1);

    /** The same where a tier is full: what is read much is known by then, and goes down later than what is not. */
    static final long KNOWN_IF_FULL_MS = TimeUnit.MINUTES.toMillis(10);

    /** Of files whose range an annotation gives, as it is not known which. */
    private static final long OF_ANNOTATIONS_MS = TimeUnit.HOURS.toMillis(1);

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final TierSpace space;
    private final TierKeeper keeper;
    private final RangeRules rangeRules;

    OfferedBlocks(
            ClusterState clusterState, NamespaceView view, TierSpace space, TierKeeper keeper, RangeRules rangeRules) {
        this.clusterState = clusterState;
        this.view = view;
        this.space = space;
        this.keeper = keeper;
        this.rangeRules = rangeRules;
    }

    /** Of which tiers, and how old, a DataNode is to offer replicas. */
    List<OffersWanted> wanted(long nowMs, DataNodeState node, PolicySpec spec) {
        if (spec.rules().isEmpty()
                || !node.takesVolumeMoves()
                || node.volumeMoves().waitingCount() >= HeartbeatLimits.OFFERS
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

    /** The shortest age by which any rule lets a block go down from a tier. */
    private long leastAgeMs(StorageTier tier, PolicySpec spec) {
        long leastMs = Long.MAX_VALUE;
        for (PathRule rule : spec.rules()) {
            TierRange range = TierRange.of(rule);
            if (range != null && range.contains(tier) && !range.slowerThan(tier).isEmpty()) {
                leastMs = Math.min(leastMs, keeper.coldMs(range));
            }
            boolean isSlowest = tier == StorageTier.ARCHIVE;
            if (rule.annotations().contains(AnnotationWord.TIERS) && !isSlowest) {
                leastMs = Math.min(leastMs, OF_ANNOTATIONS_MS);
            }
        }
        return leastMs;
    }

    /** Looks at replicas that a DataNode offers, with one hold of the lock. Those that are not looked at are offered again. */
    void take(long nowMs, DataNodeState node, List<Offer> offers) {
        clusterState.metricRegistry().add(Metric.PLACEMENT_VOLUME_OFFERED, offers.size());
        List<Offer> unknown = new ArrayList<>();
        for (Offer offer : offers) {
            boolean isKnown = clusterState.heat().peek(offer.block().id()) != null;
            if (!isKnown && unknown.size() < view.lockBlocks()) {
                unknown.add(offer);
            }
        }
        if (unknown.isEmpty() || !view.mayLook()) {
            return;
        }
        List<@Nullable Placed> placed = view.placed(
                unknown.stream().map(Offer::block).map(StampedBlock::id).toList());
        for (int i = 0; i < placed.size(); i++) {
            Offer offer = unknown.get(i);
            Placed found = placed.get(i);
            PathRule rule = found == null || !found.block().sameContent(offer.block()) ? null : rangeRules.of(found);
            if (found != null && rule != null && keeper.offered(nowMs, node, found, rule, offer)) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_OFFERED_DOWN);
            }
        }
    }
}
