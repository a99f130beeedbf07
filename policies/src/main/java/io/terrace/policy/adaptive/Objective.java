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
    JOBS,
    /**
     * Every second that readers are spared counts alike: a block is worth what its reads take from the tier below and not from
     * here, so a short read counts for the access that it waits for, a scan for its bytes.
     */
    TIME;

    /**
     * Worth of so many reads of so many bytes in all.
     *
     * @param savedNs what the tier saves of their time; 0 where that is not known
     */
    double value(long bytes, int reads, long savedNs) {
        return switch (this) {
            case BYTES -> Math.max(1, bytes);
            case TIME -> savedNs > 0 ? savedNs : reads;
            case OBJECTS, JOBS -> reads;
        };
    }
}
