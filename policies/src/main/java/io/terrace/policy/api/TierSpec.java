package io.terrace.policy.api;

import java.util.Objects;

/**
 * One tier of a {@link TierHierarchy}: a medium and the part of it that the policy may fill.
 *
 * @param name what operators call it, e.g. {@code memory}, {@code nvm}, {@code ssd}, {@code disk}, {@code archive}
 * @param capacityBytes bytes the policy may use; 0 switches the tier off, {@link #UNBOUNDED} means no limit worth
 *     minding. Whatever is pinned or reserved in the tier is taken off by the caller before it states this figure
 * @param latencyNs time to the first byte of a read
 * @param bandwidthBytesPerS rate of a single read after the first byte
 * @param copies true when an object placed here keeps its place (and its bytes) in a tier below as well, as blocks in
 *     memory do; false when it moves, as a replica between nvm, ssd and disk does
 */
public record TierSpec(String name, long capacityBytes, long latencyNs, long bandwidthBytesPerS, boolean copies) {

    /** Capacity of a tier that is never full as far as placement is concerned. */
    public static final long UNBOUNDED = Long.MAX_VALUE / 4;

    public TierSpec {
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw new IllegalArgumentException("a tier needs a name");
        }
        if (capacityBytes < 0 || capacityBytes > UNBOUNDED) {
            throw new IllegalArgumentException("tier " + name + ": capacity " + capacityBytes + " is not in 0.."
                    + UNBOUNDED + " bytes; use TierSpec.UNBOUNDED for no limit");
        }
        if (latencyNs < 0) {
            throw new IllegalArgumentException("tier " + name + ": latency " + latencyNs + " ns is negative");
        }
        if (bandwidthBytesPerS <= 0) {
            throw new IllegalArgumentException(
                    "tier " + name + ": bandwidth " + bandwidthBytesPerS + " bytes/s must be above 0");
        }
    }

    /** Modelled time of one read of so many bytes from this tier, in nanoseconds. */
    public double readNs(long bytes) {
        return latencyNs + bytes * 1e9 / bandwidthBytesPerS;
    }

    /** The same tier with another capacity. */
    public TierSpec withCapacity(long bytes) {
        return new TierSpec(name, bytes, latencyNs, bandwidthBytesPerS, copies);
    }
}
