package io.terrace.placement;

import io.terrace.placement.policyfile.Rule;
import org.jspecify.annotations.Nullable;

/**
 * What the policy file says of one block.
 *
 * @param rule the rule that matched its path; null when none did
 * @param fits whether its length lies within the bounds
 */
record Ruling(@Nullable Rule rule, boolean fits) {

    static final Ruling FREE = new Ruling(null, true);
    static final Ruling TOO_SMALL_OR_LARGE = new Ruling(null, false);

    /** Whether it may not be promoted. */
    boolean forbids() {
        return !fits || (rule != null && rule.place() == Rule.Place.NEVER);
    }

    /** What each of its reads counts for. */
    int weight() {
        return rule == null ? 1 : rule.weight();
    }

    /** The pool that it belongs to. */
    int pool() {
        return rule == null ? 0 : rule.pool();
    }

    /** For people who may not see the patterns. */
    String sentence() {
        String by = rule == null ? "the policy's bounds of size" : "rule " + rule.number() + " of the policy";
        return by + (fits ? " keeps it out of memory" : ": its length is out of bounds");
    }
}
