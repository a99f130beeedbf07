package io.terrace.policy.adaptive;

import io.terrace.policy.api.Explanation;
import org.jspecify.annotations.Nullable;

/** The ways to judge what an object is worth; those that suit the objective compete in the {@link RuleTournament}. */
enum RankingRule {
    /** Expected hits per byte and time, by the return model. */
    RETURN_DENSITY("expected hits per byte", true),
    /** Expected hits per time, whatever the size: right where bytes count. */
    RETURN("expected hits", false),
    /** Reads that halve every ten minutes, per byte. */
    FAST_DENSITY("reads of the last minutes per byte", true),
    FAST("reads of the last minutes", false),
    /** Reads that halve every six hours, per byte. */
    SLOW_DENSITY("reads of the last hours per byte", true),
    SLOW("reads of the last hours", false),
    /** As {@link #SLOW_DENSITY}, but cautious: the read that brings an object in does not count for it. */
    EARLIER_DENSITY("earlier reads of the last hours per byte", true),
    /** As {@link #SLOW}, cautious alike. */
    EARLIER("earlier reads of the last hours", false),
    /** The least recently read leaves. */
    RECENT("time of the last read", false);

    private final String evidence;
    private final boolean perByte;

    RankingRule(String evidence, boolean perByte) {
        this.evidence = evidence;
        this.perByte = perByte;
    }

    /** Whether the worth of an object falls by itself, unlike that of others. */
    boolean fades() {
        return this == RETURN || this == RETURN_DENSITY;
    }

    /** What the rule looks at, for a person to read. */
    String evidence() {
        return evidence;
    }

    boolean perByte() {
        return perByte;
    }

    /**
     * How many times another's worth an object is worth, both being logarithms; null for times of reads, as none is so many
     * times another.
     */
    Explanation.@Nullable Worth compare(double worth, double another, double savedNs) {
        return this == RECENT ? null : new Explanation.Worth(Math.pow(2, worth - another), perByte, savedNs);
    }
}
