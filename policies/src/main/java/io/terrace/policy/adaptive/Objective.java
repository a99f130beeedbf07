package io.terrace.policy.adaptive;

/** What a hit is worth. */
public enum Objective {
    /** Every read served counts alike: right for the fastest tier, where jobs wait for many small things. */
    OBJECTS,
    /** Every byte served counts alike: right below, where bandwidth is what a tier saves. */
    BYTES,
    /**
     * Every job served counts alike, and it is served only when all of its input is: a block is worth its share of the input
     * that it is part of.
     */
    JOBS;

    /** Worth of so many reads of so many bytes in all. */
    double value(long bytes, int reads) {
        return this == BYTES ? Math.max(1, bytes) : reads;
    }
}
