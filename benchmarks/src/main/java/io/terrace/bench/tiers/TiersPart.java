package io.terrace.bench.tiers;

/** What {@code bench tiers} measures, in this order. */
public enum TiersPart {
    /** Replicas go from tier to tier under readers. */
    WALK,
    /** Skewed reads of more than an SSD holds. */
    AUTO,
    /** Storage policies change, and a rule tells to satisfy them. */
    SATISFY,
    /** Positional reads of NVM on the DataNode's host. */
    NVM,
    /** What a move costs, and whether it keeps to a rate. */
    MOVE,
    /** More is written to SSDs than they hold. */
    SPILL,
    /** Stock's Mover takes home what climbed. */
    YIELD,
    /** Reads while the same DataNode moves replicas. */
    DURING,
    /** NNThroughputBenchmark against a NameNode with the plugin and a stock one. */
    NAMENODE,
    /** The same while many DataNodes send heartbeats and move replicas. */
    NAMENODE_BUSY
}
