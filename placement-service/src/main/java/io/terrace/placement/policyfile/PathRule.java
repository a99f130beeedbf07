package io.terrace.placement.policyfile;

import org.jspecify.annotations.Nullable;

/**
 * What the policy file says of the files that a pattern takes in. The first rule that matches a block's file decides.
 *
 * @param number its place in the file, from 1; how it is named to people who may not read the patterns
 * @param weight what a read counts for where {@code place} is {@link Place#PREFER}, else 1
 * @param size bounds of a block's length; a block outside them is left at home
 * @param pool number of the pool that its blocks belong to, 0 for the rest
 * @param mostBytes bound of what the rule pins in all, where {@code place} is {@link Place#PIN}
 * @param tiers that replicas are kept in; null where HDFS put them
 */
public record PathRule(
        int number,
        PathGlob path,
        Place place,
        int weight,
        SizeRange size,
        int pool,
        long mostBytes,
        @Nullable TierRange tiers) {

    /** Where blocks that a rule matches may be. */
    public enum Place {
        /** The policy decides, as without a rule: an exception to a later rule. */
        ALLOW,
        /** The policy decides, each read counting several times. */
        PREFER,
        /** Never in memory. */
        NEVER,
        /** The file is pinned once it was read, as by {@code placementctl pin}. */
        PIN
    }
}
