package io.terrace.policy.adaptive;

/** What a hit is worth. */
public enum Objective {
    /** Every read served counts alike: right for the fastest tier, where jobs wait for many small things. */
    OBJECTS,
    /** Every byte served counts alike: right below, where bandwidth is what a tier saves. */
    BYTES;

    /** Worth of so many reads of so many bytes in all. */
    double value(long bytes, int reads) {
        return this == OBJECTS ? reads : Math.max(1, bytes);
    }
}
