package io.terrace.placement.policyfile;

import io.terrace.common.PathGlob;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the policy file says of the files that a pattern takes in. The first rule that matches a block's file decides.
 * With the annotations of a file it makes another rule ({@link AnnotatedRule}).
 *
 * @param number its place in the file, from 1, or 0 for annotations alone; how it is named to people who may not read the
 *     patterns
 * @param weight what a read counts for where {@code place} is {@link Place#PREFER}, else 1
 * @param size bounds of a block's length; a block outside them is left at home
 * @param pool number of the pool that its blocks belong to, 0 for the rest
 * @param mostBytes bound of what the rule pins in all, where {@code place} is {@link Place#PIN}
 * @param tiers that replicas are kept in; null where HDFS put them
 * @param writeToMemory whether a block is copied into memory as soon as it is written
 * @param satisfy whether replicas are moved to where the storage policy of their file wants them
 * @param annotations words for which annotations of users may ask for more than it gives
 * @param annotated whether an annotation is in it
 */
public record PathRule(
        int number,
        PathGlob path,
        Place place,
        int weight,
        SizeRange size,
        int pool,
        long mostBytes,
        @Nullable TierRange tiers,
        boolean writeToMemory,
        boolean satisfy,
        Set<AnnotationWord> annotations,
        boolean annotated) {

    public PathRule {
        annotations = Set.copyOf(annotations);
    }

    /** The same with another range. */
    public PathRule within(TierRange range) {
        return new PathRule(
                number,
                path,
                place,
                weight,
                size,
                pool,
                mostBytes,
                range,
                writeToMemory,
                satisfy,
                annotations,
                annotated);
    }

    /** For people who may not see the patterns. */
    public String name() {
        return number == 0
                ? "an annotation"
                : "rule " + number + " of the policy" + (annotated ? " with an annotation" : "");
    }

    /** Where blocks that a rule matches may be. */
    public enum Place {
        /** The policy decides, as without a rule: an exception to a later rule. */
        ALLOW,
        /** The policy decides, each read counting several times. */
        PREFER,
        /** Never in memory. */
        NEVER,
        /** The file is pinned once it was read, as by {@code placementctl pin}. */
        PIN;

        /** How much it gives to a file: the more, the more of the memory. */
        int liberty() {
            return switch (this) {
                case NEVER -> 0;
                case ALLOW -> 1;
                case PREFER -> 2;
                case PIN -> 3;
            };
        }
    }
}
