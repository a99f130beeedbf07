package io.terrace.bench.tiers;

/** What {@code bench tiers} measures, in this order. */
public enum TiersPart {
    /** Replicas go from tier to tier under readers. */
    WALK,
    /** Skewed reads of more than an SSD holds. */
    AUTO
}
