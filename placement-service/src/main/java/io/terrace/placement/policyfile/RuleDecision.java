package io.terrace.placement.policyfile;

import org.jspecify.annotations.Nullable;

/**
 * What the policy file says of one block, made by {@link PolicySpec#decide}.
 *
 * @param rule the rule that matched its path; null when none did
 * @param fits whether its length lies within the bounds
 */
public record RuleDecision(@Nullable PathRule rule, boolean fits) {

    static final RuleDecision FREE = new RuleDecision(null, true);
    static final RuleDecision TOO_SMALL_OR_LARGE = new RuleDecision(null, false);

    /** Whether it may not be promoted. */
    public boolean forbids() {
        return !fits || (rule != null && rule.place() == PathRule.Place.NEVER);
    }

    /** What each of its reads counts for. */
    public int weight() {
        return rule == null ? 1 : rule.weight();
    }

    /** The pool that it belongs to. */
    public int pool() {
        return rule == null ? 0 : rule.pool();
    }

    /** Whether it is copied into memory as soon as it is written. */
    public boolean writesToMemory() {
        return rule != null && rule.writeToMemory() && !forbids();
    }

    /** For people who may not see the patterns. */
    public String sentence() {
        String by = rule == null ? "the policy's bounds of size" : rule.name();
        return by + (fits ? " keeps it out of memory" : ": its length is out of bounds");
    }
}
