package io.terrace.bench.tierfaults;

/** Whom {@code bin/terrace test tiers} kills. */
enum TierFaultsPart {
    DATANODE,
    NAMENODE,
    /** The active one of two NameNodes. */
    FAILOVER,
    /** The active one of two NameNodes, then the other one: what is known of reads afterwards. */
    HEAT
}
