package io.terrace.bench.simulation;

import java.util.Locale;

/** A bug that can be switched on, to see that the simulation finds it. */
enum Plant {
    STAMP_CHECK_SKIPPED("nobody on the way to a grant compares generation stamps"),
    FREED_BEFORE_LEASE_ENDED("the clock that ends grants runs two seconds ahead of the one that gives leases"),
    PUBLISHED_BEFORE_VERIFIED("a copy is held against checksums of the bytes as they were read"),
    SLOT_SEQUENCE_UNCHANGED("a slot that is freed keeps its sequence"),
    LOST_ACKNOWLEDGEMENT("what a heartbeat carried is forgotten when it is sent, not when it is answered"),
    REVOKE_TAKEN_FOR_ACKNOWLEDGED("a grant ends when its revocation is sent, not when the client acknowledges it"),
    BUDGET_IGNORED("moves are sent without regard to the budget"),
    STALE_RESULT_APPLIED("after a failover, a result of the earlier epoch passes for that of the block's present move"),
    LINK_KEPT_AFTER_OPEN("the link of a grant stays when the client has opened it"),
    RETIRING_BYTES_NOT_COUNTED("bytes are given back to the tier before the file is gone"),
    EPOCH_NOT_FENCED("orders of an earlier epoch are carried out"),
    HEARTBEAT_COUNTED_TWICE("a heartbeat that is sent again gets another number"),
    CHANGE_UNNOTICED("the tier is not told when a replica changes"),
    LEASE_NOT_CHECKED("the client's clock stands still, so that its leases never end"),
    TOKEN_IGNORED("leases do not end with the token"),
    REPLICA_DELETED_AFTER_COPY("the durable replica is deleted once the copy is published"),
    LEFTOVER_NOT_VERIFIED("files of an earlier process are adopted without a look at their bytes"),
    SLOT_LIVE_TOO_LONG("the slot of a retired extent stays live until it is freed");

    private final String bug;

    Plant(String bug) {
        this.bug = bug;
    }

    /** As given to {@code --plant}. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What is wrong, as one clause. */
    String bug() {
        return bug;
    }

    /** @throws IllegalArgumentException naming what there is */
    static Plant of(String title) {
        for (Plant plant : values()) {
            if (plant.title().equals(title)) {
                return plant;
            }
        }
        throw new IllegalArgumentException("there is no plant '" + title + "'; --plant list shows them");
    }
}
