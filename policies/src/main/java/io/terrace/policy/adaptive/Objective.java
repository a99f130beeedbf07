package io.terrace.policy.adaptive;

/** What a hit is worth. */
public enum Objective {
    /** Every read served counts alike: right for the fastest tier, where jobs wait for many small things. */
    OBJECTS,
    /** Every byte served counts alike: right below, where bandwidth is what a tier saves. */
    BYTES;

    double value(long bytes) {
        return this == OBJECTS ? 1 : Math.max(1, bytes);
    }
}
