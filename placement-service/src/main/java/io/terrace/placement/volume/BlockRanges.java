package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which range of tiers the rules and annotations in force give a block, and what a quota by storage type leaves of it. Owned by
 * the engine's thread.
 */
final class BlockRanges implements RangeRules {

    private static final String NOTHING_WITHIN =
            "a directory above it has a quota by storage type, and its storage policy has no type within these tiers";

    private PolicySpec spec;

    BlockRanges(PolicySpec spec) {
        this.spec = spec;
    }

    /** Other rules hold from now on. */
    void rules(PolicySpec others) {
        spec = others;
    }

    /** The rule in force for the block's path, whether it gives a range or not. */
    @Nullable
    PathRule ruleOf(Placed block) {
        return spec.ruleFor(block.path(), block.annotations()).rule();
    }

    /** The rule, if it gives a range to a block as large as this one; else null. */
    @Nullable
    PathRule ifRange(Placed block, @Nullable PathRule rule) {
        RuleDecision decision = spec.decide(rule, block.block().lengthBytes());
        return TierRange.of(rule) != null && decision.fits() ? rule : null;
    }

    /** The rule that gives a block a range, whatever quotas say; null if none does. */
    @Nullable
    PathRule unbound(Placed block) {
        return ifRange(block, ruleOf(block));
    }

    @Override
    public @Nullable PathRule of(Placed block) {
        PathRule rule = unbound(block);
        TierRange range = TierRange.of(rule);
        return rule == null || range == null ? null : bound(block, rule, range);
    }

    /** The rule with what a quota by storage type leaves of its range; null if nothing. */
    @Nullable
    static PathRule bound(Placed block, PathRule rule, TierRange range) {
        if (block.quotaTiers() == null) {
            return rule;
        }
        TierRange within = range.within(block.quotaTiers());
        return within == null ? null : rule.within(within);
    }

    /** The block as one that stays where it is, since a quota leaves nothing of its range. */
    static Placed stopped(Placed block) {
        return block.stopped(NOTHING_WITHIN);
    }

    /** Why a replica in a range may not be moved at all; null if it may. */
    @Nullable
    String obstacle(Placed placed, String node) {
        String obstacle = placed.obstacleOn(node);
        List<StorageTier> quotaTiers = placed.quotaTiers();
        TierRange range = obstacle == null && quotaTiers == null ? null : TierRange.of(unbound(placed));
        if (range == null) {
            return null;
        }
        boolean noneWithin = quotaTiers != null && range.within(quotaTiers) == null;
        return obstacle == null && noneWithin ? NOTHING_WITHIN : obstacle;
    }

    /** What is to be known of a range that holds no tier of the file's storage policy; null where it holds one, or there is none. */
    @Nullable
    String offPolicy(Home home) {
        TierRange range = TierRange.of(of(home.placed()));
        return range == null || home.tiers().isEmpty() || home.tiers().stream().anyMatch(range::contains)
                ? null
                : "storage policy " + home.policy()
                        + " wants none of these types: hdfs mover takes replicas out of them";
    }
}
