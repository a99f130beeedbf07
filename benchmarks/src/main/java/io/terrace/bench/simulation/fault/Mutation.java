package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.kernel.Invariant;
import java.util.Locale;

/** A bug that can be switched on to prove that the simulation finds it by the invariant it violates. */
public enum Mutation {
    STAMP_CHECK_SKIPPED(
            "a DataNode grants what it has of a block, whatever stamp it was asked for", Invariant.RIGHT_BYTES),
    FREED_BEFORE_LEASE_ENDED(
            "the clock that ends grants runs two seconds ahead of the one that gives leases",
            Invariant.FREED_WITHOUT_LEASE),
    PUBLISHED_BEFORE_VERIFIED(
            "a copy is verified against checksums of the bytes as they were read", Invariant.VERIFIED_WHEN_PUBLISHED),
    SLOT_SEQUENCE_UNCHANGED("a slot that is freed keeps its sequence", Invariant.ONE_OWNER),
    LOST_ACKNOWLEDGEMENT(
            "what a heartbeat carried is forgotten when it is sent, not when it is answered",
            Invariant.RESIDENCY_KNOWN),
    ONE_DATANODE_UNHEARD("what one DataNode sends to the service never arrives", Invariant.RESIDENCY_KNOWN),
    REVOKE_TAKEN_FOR_ACKNOWLEDGED(
            "a grant ends when its revocation is sent, not when the client acknowledges it",
            Invariant.FREED_WITHOUT_LEASE),
    BUDGET_IGNORED("moves are sent without regard to the budget", Invariant.BUDGET_KEPT),
    STALE_RESULT_APPLIED("the service does not check the epoch of a result", Invariant.RESULT_OF_THIS_ORDER),
    LINK_KEPT_AFTER_OPEN("the link of a grant stays when the client has opened it", Invariant.LINKS_REMOVED),
    RETIRING_BYTES_NOT_COUNTED("bytes are given back to the tier before the file is gone", Invariant.ACCOUNTING),
    UNPIN_NOT_TOLD("nobody is told that a pin ended", Invariant.ACCOUNTING),
    FILE_KEPT_WHEN_FREED("the file of an extent stays when its bytes are given back", Invariant.FILES_ACCOUNTED),
    GRANTED_WHILE_FREED("an extent is granted while its file is removed", Invariant.GRANT_WITHIN_EXTENT),
    EPOCH_NOT_FENCED("orders of an earlier epoch are carried out", Invariant.EPOCH_FENCED),
    HEARTBEAT_COUNTED_TWICE("a heartbeat that is sent again gets another number", Invariant.HEAT_COUNTED_ONCE),
    CHANGE_UNNOTICED("the tier is not told when a replica changes", Invariant.NEVER_ONLY_COPY),
    LEASE_NOT_CHECKED("the client's clock stands still, so that its leases never end", Invariant.READ_WITHIN_LEASE),
    TOKEN_IGNORED("leases do not end with the token", Invariant.READ_WITHIN_LEASE),
    REPLICA_DELETED_AFTER_COPY("the durable replica is deleted once the copy is published", Invariant.NEVER_ONLY_COPY),
    LEFTOVER_NOT_VERIFIED(
            "files of an earlier process are adopted without verifying their bytes", Invariant.VERIFIED_WHEN_PUBLISHED),
    SLOT_LIVE_TOO_LONG("the slot of a retired extent stays live until it is freed", Invariant.SLOT_HONEST),
    CHECKSUMS_MISREAD("checksums are misread, and the replica is reported as corrupt", Invariant.HEALTHY_NOT_REPORTED),
    CHANGE_NOT_LOOKED_FOR("a copy is published without another look at its replica", Invariant.NEVER_ONLY_COPY),
    COPIED_REPLICA_NOT_REPORTED(
            "a block report leaves out replicas that have a copy in memory", Invariant.REPLICAS_COUNTED_ONCE),
    STREAM_GIVEN_BACK_TWICE(
            "the stream of a stock reader is given back by its end and by its close", Invariant.NOTHING_THROWN),
    POLICY_CANNOT_BE_MADE(
            "a policy throws as it is made, and the service goes on with another one", Invariant.NOTHING_THROWN),
    GRANTS_NEVER_OVERDUE(
            "the clock that ends grants runs an hour behind the one that gives leases", Invariant.FREED_IN_TIME),
    REVOCATION_NOT_SENT("the holders of grants are not told that their extent was retired", Invariant.FREED_IN_TIME),
    SCRUB_VERIFIES_NOTHING("the scrub compares copies with checksums of what it reads", Invariant.ROT_ENDS),
    FAILURE_NOT_PLANNED(
            "a copy throws an unexpected exception, and its order fails with it", Invariant.FAILURES_PLANNED),
    HEAT_LOST_ON_THE_WAY("of the heat in a heartbeat only the first block arrives", Invariant.HEAT_COUNTED_ONCE),
    FILES_LEFT_OPEN("the scrub does not close the replicas that it opened", Invariant.SETTLES),
    MOVE_NOT_SYNCED("the old files go before the new ones are synced", Invariant.NO_BYTE_LOST),
    DIRECTORY_NOT_SYNCED("the old files go before the directory of the new ones is synced", Invariant.NO_BYTE_LOST),
    MOVE_WRITES_ANOTHER_BYTE("a move writes one byte that is not in the old files", Invariant.REPLICAS_RIGHT),
    MOVE_VERIFIES_NOTHING("a move copies what it reads, whatever the checksums say of it", Invariant.REPLICAS_RIGHT),
    PUBLISHED_WITHOUT_LOCK("the new place is published without the lock of the block pool", Invariant.CHANGE_KEPT),
    DELETE_OVERTAKEN("a deletion does not end a move of the replica", Invariant.CHANGE_KEPT),
    OLD_FILES_REMOVED_EARLY("the old files go before the new place is published", Invariant.FILES_FOUND),
    OLD_FILES_KEPT("the old files stay after a move", Invariant.NO_FILES_LEFT),
    MOVE_NOT_REPORTED("the NameNode is not told of a move", Invariant.TIER_KNOWN),
    VOLUME_BUDGET_IGNORED("moves between volumes are sent without regard to the budget", Invariant.BUDGET_KEPT),
    POOL_MOST_NOT_CHECKED("a pool may take all of a tier, whatever its most is", Invariant.POOLS_KEPT),
    UNLENT_ROOM_TAKEN(
            "a pool takes what another one does not use, though that one does not lend", Invariant.POOLS_KEPT),
    DELETED_BLOCK_STAYS_COUNTED("a block that was deleted stays counted for its pool", Invariant.POOLS_COUNTED),
    GONE_BLOCK_STAYS_BOOKED("a policy is not told that a block is gone", Invariant.ROOM_COUNTED),
    CONTROL_BLOCK_CLIMBS("no block is in the control sample as the service sees it", Invariant.CONTROL_STAYS),
    PRICE_NOT_UPDATED("what would leave a memory next is what would have left it at first", Invariant.PRICE_KNOWN),
    COPY_ORDERED_TWICE("a copy that was requested is ordered wherever its home is by then", Invariant.COPY_AT_HOME),
    COPY_HOPS("a copy goes to any other DataNode that reads it", Invariant.COPY_FOLLOWS_READERS),
    BUDGET_NOT_REFILLED("once a DataNode has used what it may move, it gets next to nothing more", Invariant.MOVES_END),
    PIN_NOT_LOOKED_AT_AGAIN("the blocks of pinned files are looked up once, and not again", Invariant.PINS_KEPT),
    OFFERS_NOT_SENT("what DataNodes offer does not arrive", Invariant.UNREAD_COMES_IN),
    VAIN_BOUND_IGNORED("blocks are copied before their first read whatever was in vain", Invariant.VAIN_BYTES_BOUNDED),
    FIRST_READ_AWAITED_FOR_EVER(
            "a copy waits for a first read that did not come in time", Invariant.COPY_AHEAD_RELEASED),
    DRAFT_KEPT("the file of a copy stays that is given up while its block is written", Invariant.FILES_ACCOUNTED),
    RULES_NOT_TOLD("DataNodes are told which rules for new files hold, but never the rules", Invariant.RULES_KNOWN),
    ACKNOWLEDGED_BEFORE_WRITTEN("a DataNode acknowledges a frame before it is written", Invariant.ACKNOWLEDGED_BY_ALL),
    COMMITTED_BEFORE_FINALISED(
            "a DataNode says that a block is finalised before it is", Invariant.COMMITTED_IS_FINALISED),
    RETAINED_DROPPED_EARLY(
            "the client drops what it retains of a block when the first DataNode has finalised it",
            Invariant.RETAINED_UNTIL_EVERYWHERE),
    CLOSED_FILE_DROPPED(
            "the client drops what it retains of a file that the NameNode has accepted",
            Invariant.RETAINED_UNTIL_EVERYWHERE),
    REFUSED_BLOCK_GIVEN_UP(
            "the client gives a file up when the NameNode wants more replicas before it adds a block",
            Invariant.WRITTEN_THOUGH_SLOW),
    LATE_WRITER_NOT_STOPPED("a recovery leaves the writer of a replica running", Invariant.FINALISED_STAYS),
    SHORT_REPLICA_FINALISED(
            "a replica is finalised at the length that the client says, whatever it has", Invariant.REPLICAS_EQUAL),
    FLUSHED_WITHOUT_NEW_STAMP(
            "the client goes on with the DataNodes that are left without a new stamp", Invariant.ACKNOWLEDGED_KEPT);

    private final String bug;
    private final Invariant breaks;

    Mutation(String bug, Invariant breaks) {
        this.bug = bug;
        this.breaks = breaks;
    }

    /** As given to {@code --plant}. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it is in the writes over the channel, which are simulated apart. */
    public boolean ofWrites() {
        return compareTo(ACKNOWLEDGED_BEFORE_WRITTEN) >= 0;
    }

    /** What is wrong, as one clause. */
    public String bug() {
        return bug;
    }

    /**
     * The invariant that it violates. Any other failure, such as a crash, does not prove that this invariant is
     * checked.
     */
    public Invariant breaks() {
        return breaks;
    }

    /** @throws IllegalArgumentException naming what there is */
    public static Mutation of(String title) {
        for (Mutation mutation : values()) {
            if (mutation.title().equals(title)) {
                return mutation;
            }
        }
        throw new IllegalArgumentException("there is no planted bug '" + title + "'; --plant list shows them");
    }
}
