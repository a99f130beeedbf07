package io.terrace.bench.simulation.kernel;

import java.util.Locale;

/** The invariants of every seed, checked after every event or when they apply. Code, tool and docs use this list. */
public enum Invariant {
    RIGHT_BYTES("a read returns exactly the bytes of the block and stamp that was asked for"),
    READ_WITHIN_LEASE("what was read after the lease or the token had ended is not used"),
    VERIFIED_WHEN_PUBLISHED("an extent that becomes live holds exactly the bytes of its block and stamp"),
    ROT_ENDS("bytes that went bad in memory are served until the end of the next scrub at most"),
    ONE_OWNER("no address of a region, no slot and no block has two extents at a time"),
    ACCOUNTING("used, retiring, pinned and region bytes are those of the extents that exist, and within capacity"),
    FILES_ACCOUNTED("the memory directory holds no more bytes than the tier counts as used"),
    FREED_WITHOUT_LEASE("the bytes of an extent are freed only when nobody holds a lease on it or reads it"),
    FREED_IN_TIME(
            "a retired extent is given up by all who can hear of it, and freed when leases and deadline are over"),
    GRANT_WITHIN_EXTENT("no grant is held on an extent that is gone"),
    LINKS_REMOVED("a link to an extent exists only while its grant waits to be opened"),
    SLOT_HONEST("a slot is live exactly while its extent is"),
    NEVER_ONLY_COPY("a live copy in memory stands beside a finalised durable replica of the same stamp"),
    HEALTHY_NOT_REPORTED("a replica is reported corrupt only if it is"),
    REPLICAS_COUNTED_ONCE("the NameNode counts every durable replica once, and no copy in memory"),
    RESIDENCY_KNOWN("once all is quiet, the service knows every DataNode, and exactly what is resident on it"),
    RESULT_OF_THIS_ORDER("a move ends with an outcome only if the DataNode reported it for this very order"),
    BUDGET_KEPT("a DataNode is sent no more bytes to promote than its budget allows"),
    EPOCH_FENCED("a DataNode carries out no order of an epoch lower than the highest it has seen"),
    HEAT_COUNTED_ONCE("the service is told of every read and counts each that it is told of once"),
    NO_BYTE_LOST("a finalised replica is whole on one of its DataNode's volumes after every crash and power cut"),
    CHANGE_KEPT("no move undoes an append, a recovery or a deletion that came first"),
    REPLICAS_RIGHT(
            "a finalised replica has the bytes and checksums of its block, but for bits that flipped on the disk"),
    FILES_FOUND("whoever looks up a finalised replica finds its files, moved or not"),
    NO_FILES_LEFT("files of a replica that is not in the DataNode's map are there only while a move runs"),
    TIER_KNOWN("within a second the NameNode knows the tier of a replica that moved"),
    POOLS_KEPT("no order takes a pool above its most of a tier, nor into room that others keep, as the service counts"),
    POOLS_COUNTED("once all is quiet, the service counts for each pool the replicas that are there, and no others"),
    ROOM_COUNTED("once all is quiet, a policy counts as used what is in memory and not pinned, and nothing else"),
    CONTROL_STAYS("heat orders no block of the control sample into a faster tier"),
    PRICE_KNOWN("the price of room is of what would have left a quarter of a second ago, or later"),
    COPY_AT_HOME("what a policy wants in memory is ordered of the block's home alone"),
    COPY_FOLLOWS_READERS("a copy that can stay moves to another DataNode only after readers have moved there"),
    VAIN_BYTES_BOUNDED(
            "the bytes copied before first reads in vain stay within the stated share of all that is copied"),
    COPY_AHEAD_RELEASED("a copy whose first read did not come in time is the policy's to evict"),
    ACKNOWLEDGED_BY_ALL(
            "bytes are acknowledged, and shown to readers, only when each DataNode of the pipeline has them"),
    COMMITTED_IS_FINALISED("a block is committed only when a DataNode has finalised it at that length"),
    RETAINED_UNTIL_EVERYWHERE("when a client has closed a file, each block is at all DataNodes that it was to get to"),
    FINALISED_STAYS("nobody writes to a replica that is finalised"),
    REPLICAS_EQUAL("what the NameNode counts as a replica has the bytes that were written, no more and no fewer"),
    ACKNOWLEDGED_KEPT("what was acknowledged to the writer of a file is in the file, however the writing ended"),
    WRITTEN_THOUGH_SLOW("a file is written and closed where DataNodes are slow and nothing else is wrong"),
    MOVES_END("once all is quiet, no move into memory or out of it waits: each was made or given up"),
    RULES_KNOWN(
            "once all is quiet, every DataNode knows for which new files the policy wants copies as they are written"),
    PINS_KEPT("once all is quiet, a pinned block is in memory if there is room for all that are pinned"),
    UNREAD_COMES_IN("once all is quiet, a replica that nobody reads and that is above its range has come down into it"),
    NOTHING_THROWN("no code under simulation throws an exception that only a broken state explains"),
    FAILURES_PLANNED("no move fails by an exception that its code does not plan for"),
    SETTLES("once all is quiet, everything retired is freed, nothing is left over, and grants can be had"),
    /** Of the simulation, not of the product: no planted bug is found by it. */
    SEED_ENDS("the simulation's own code comes to the end of the seed, without an exception of its own");

    private final String rule;

    Invariant(String rule) {
        this.rule = rule;
    }

    /** As it appears in reports. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What it says, as one clause. */
    String rule() {
        return rule;
    }
}
