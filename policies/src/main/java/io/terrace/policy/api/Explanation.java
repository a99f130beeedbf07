package io.terrace.policy.api;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why a {@link PlacementPolicy} keeps one object where it is.
 *
 * @param policy name of the policy
 * @param rule the rule that decided, in a few words, e.g. {@code count over threshold}
 * @param object the object
 * @param tier tier the policy wants it in
 * @param count the evidence: accesses, decayed accesses or expected hits per byte, as {@code rule} says; NaN when the
 *     rule has none
 * @param threshold what the evidence is held against; NaN when the rule has none
 * @param ageMs time since the object was first or last seen, as the sentence says; -1 when the rule has none
 * @param competitor object that would have to leave for this one, or that this one left for; {@link #NO_COMPETITOR} if none
 * @param worth how much the object is worth to the policy, held against the competitor; null where it does not compare worths
 * @param sentence the same for a person to read
 */
public record Explanation(
        String policy,
        String rule,
        long object,
        int tier,
        double count,
        double threshold,
        long ageMs,
        long competitor,
        @Nullable Worth worth,
        String sentence) {

    /**
     * What one object is worth, held against another.
     *
     * @param ratio 2 if it is worth twice as much
     * @param perByte whether that is for its size
     * @param savedNs what the tier saves of the time of each of its reads, where that counts; else 0
     */
    public record Worth(double ratio, boolean perByte, double savedNs) {

        /** Where time does not count. */
        public Worth(double ratio, boolean perByte) {
            this(ratio, perByte, 0);
        }
    }

    /** Of a policy that does not compare worths. */
    public Explanation(
            String policy,
            String rule,
            long object,
            int tier,
            double count,
            double threshold,
            long ageMs,
            long competitor,
            String sentence) {
        this(policy, rule, object, tier, count, threshold, ageMs, competitor, null, sentence);
    }

    public static final long NO_COMPETITOR = -1;

    public Explanation {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(rule, "rule");
        Objects.requireNonNull(sentence, "sentence");
    }

    /** With one decimal, for a sentence. {@code String.format} takes longer than all else that a promotion costs. */
    public static String tenths(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.toString(value);
        }
        long tenths = Math.round(Math.abs(value) * 10);
        return (value < 0 && tenths > 0 ? "-" : "") + tenths / 10 + '.' + tenths % 10;
    }

    /** How often, for a sentence: {@code once}, {@code 2 times}. */
    public static String times(long count) {
        return count == 1 ? "once" : count + " times";
    }
}
