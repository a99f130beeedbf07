package io.terrace.placement.policyfile;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PooledPolicy;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A whole policy: which one, its parameters, and what holds for sizes and paths whatever it says. Read from a policy
 * file or made of the settings.
 *
 * @param policy its name in {@link PolicyCatalog}
 * @param parameters its parameters, checked
 * @param size blocks outside are left at home, whatever rule matches them
 * @param pools into which memory, and tiers below, are divided, the first being that of blocks that no rule sends
 *     elsewhere; empty when nothing is divided
 * @param rules in their sequence; the first that matches decides
 * @param text as a policy file
 */
public record PolicySpec(
        String policy,
        Map<String, String> parameters,
        SizeRange size,
        List<PoolSpec> pools,
        List<PathRule> rules,
        String text) {

    public static final int MOST_RULES = 200;

    /** The tier that the policies of pools divide. */
    private static final String POOLED_TIER = "memory";

    /**
     * What each DataNode's policy places blocks in; the memory's size is set later. Latencies and rates are those that
     * simulations read with.
     */
    public static final TierHierarchy TIERS = TierHierarchy.of(
            new TierSpec(POOLED_TIER, 0, 3_000, 8_000_000_000L, true),
            new TierSpec("home", TierSpec.UNBOUNDED, 150_000, 500_000_000L, false));

    public PolicySpec {
        parameters = Map.copyOf(parameters);
        pools = List.copyOf(pools);
        rules = List.copyOf(rules);
    }

    /** A policy without rules, as the settings give it. */
    public static PolicySpec plain(String policy, Map<String, String> parameters) {
        StringBuilder text = new StringBuilder("policy: " + policy + "\n");
        if (!parameters.isEmpty()) {
            text.append("parameters:\n");
            new TreeMap<>(parameters).forEach((name, value) -> text.append("  " + name + ": " + quoted(value) + "\n"));
        }
        return new PolicySpec(policy, parameters, SizeRange.ANY, List.of(), List.of(), text.toString());
    }

    private static String quoted(String value) {
        return value.matches("[a-zA-Z0-9.]+") ? value : "'" + value.replace("'", "''") + "'";
    }

    /** Makes an instance of the policy, of one for each pool where there are any. */
    public PlacementPolicy make(TierHierarchy tiers) {
        if (pools.isEmpty()) {
            return PolicyCatalog.create(policy, parameters, tiers);
        }
        List<Function<TierHierarchy, PlacementPolicy>> makers = new ArrayList<>();
        pools.forEach(pool -> makers.add(room -> PolicyCatalog.create(pool.policy(), pool.parameters(), room)));
        List<PoolShare> shares = pools.stream().map(PoolSpec::share).toList();
        return new PooledPolicy(tiers, Map.of(POOLED_TIER, shares), makers);
    }

    /** Whether anything depends on a block's path or size. */
    public boolean hasRules() {
        return !rules.isEmpty() || !size.equals(SizeRange.ANY);
    }

    /** Whether a policy wants to know how large the files are that blocks belong to. */
    public boolean countsJobs() {
        return countsJobs(parameters) || pools.stream().anyMatch(pool -> countsJobs(pool.parameters()));
    }

    private static boolean countsJobs(Map<String, String> parameters) {
        return "jobs".equals(parameters.get("objective"));
    }

    /** Whether replicas may be moved between volumes. */
    public boolean hasTiers() {
        for (PathRule rule : rules) {
            if (rule.tiers() != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * What holds for one block.
     *
     * @param rule that its path matches; null for none
     */
    public RuleDecision decide(@Nullable PathRule rule, long lengthBytes) {
        boolean fits =
                size.contains(lengthBytes) && (rule == null || rule.size().contains(lengthBytes));
        return rule != null ? new RuleDecision(rule, fits) : fits ? RuleDecision.FREE : RuleDecision.TOO_SMALL_OR_LARGE;
    }

    /** What holds for a file: the rule for its path, and its annotations. */
    public AnnotatedRule ruleFor(String path, PathAnnotations annotations) {
        return joined(ruleFor(path), annotations);
    }

    /** What holds where that rule of this policy matches; null for none. */
    public AnnotatedRule joined(@Nullable PathRule base, PathAnnotations annotations) {
        return annotations.isEmpty() ? new AnnotatedRule(base, List.of(), List.of()) : annotations.rule(this, base);
    }

    /** As above, word by word also where there are no annotations. */
    public AnnotatedRule explain(String path, PathAnnotations annotations) {
        return new AnnotationResolver(this, ruleFor(path), annotations).resolve();
    }

    /** The rule for a path; null when none matches. */
    public @Nullable PathRule ruleFor(String path) {
        for (PathRule rule : rules) {
            if (rule.path().matches(path)) {
                return rule;
            }
        }
        return null;
    }
}
