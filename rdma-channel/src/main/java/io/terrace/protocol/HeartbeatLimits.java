package io.terrace.protocol;

/** How much of a list one heartbeat of a DataNode carries; the rest of it follows with the next ones. */
public final class HeartbeatLimits {

    /**
     * Entries of each list at most, and exactly so many while more of the list is to come: a full residency report ends
     * with the first page of fewer.
     */
    public static final int ENTRIES = 8_192;

    /** Offers: so many blocks are looked at in one hold of the NameNode's lock. */
    public static final int OFFERS = 64;

    private HeartbeatLimits() {}
}
