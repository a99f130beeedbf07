package io.terrace.channel.verbs;

/**
 * What one process lets the others claim, and what it claims of its device.
 *
 * @param operations in flight on one link
 * @param sessions a listener has at most
 * @param ranges a listener has registered at most
 * @param registeredBytes of ranges, at most: pinned memory, to be kept below the memlock limit
 */
public record VerbsLimits(int operations, int sessions, int ranges, long registeredBytes) {
    public static final VerbsLimits DEFAULT = new VerbsLimits(256, 512, 65_536, 1L << 40);

    public VerbsLimits {
        if (operations < 1 || operations > 4096 || sessions < 1 || ranges < 1 || registeredBytes < 0) {
            throw new IllegalArgumentException("limits must be positive, and operations 4096 at most");
        }
    }
}
