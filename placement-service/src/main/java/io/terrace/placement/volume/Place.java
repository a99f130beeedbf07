package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * A replica of a block that a rule gives a range of tiers. Immutable, so that those at rest, which nearly all are, can be one
 * object for each tier of a DataNode.
 *
 * @param movingTo where a move that waits or is under way takes it; null without one
 * @param hold why it may not be moved for a time; null if nothing was the matter of late
 */
record Place(String node, StorageTier tier, @Nullable StorageTier movingTo, @Nullable Hold hold) {

    /**
     * Why a replica may not be moved.
     *
     * @param unsureUntilMs we moved it, and the NameNode was not asked since or did not know yet
     * @param leftAloneUntilMs others moved it
     * @param movedBy what others did, and who
     */
    record Hold(long unsureUntilMs, long leftAloneUntilMs, String movedBy) {}

    private static final Hold NONE = new Hold(Long.MIN_VALUE, Long.MIN_VALUE, "");

    Place(String node, StorageTier tier) {
        this(node, tier, null, null);
    }

    /** Whether the NameNode may not know where it is. */
    boolean isUnsure(long nowMs) {
        return nowMs < held().unsureUntilMs;
    }

    /** Whether it may be moved: it was not moved by others lately, and the NameNode knows where it is. */
    boolean mayMove(long nowMs) {
        return !isUnsure(nowMs) && !isLeftAlone(nowMs);
    }

    boolean isLeftAlone(long nowMs) {
        return nowMs < leftAloneUntilMs();
    }

    long leftAloneUntilMs() {
        return held().leftAloneUntilMs;
    }

    /** What others did, and who. */
    String movedBy() {
        return held().movedBy;
    }

    private Hold held() {
        return hold == null ? NONE : hold;
    }

    /** Whether nothing is known of it but where it is. */
    boolean isAtRest() {
        return movingTo == null && hold == null;
    }

    Place in(StorageTier other) {
        return new Place(node, other, movingTo, hold);
    }

    Place moving(@Nullable StorageTier to) {
        return to == movingTo ? this : new Place(node, tier, to, hold);
    }

    Place unsureUntil(long untilMs) {
        return new Place(node, tier, movingTo, new Hold(untilMs, held().leftAloneUntilMs, held().movedBy));
    }

    Place leftAlone(long untilMs, String by) {
        return new Place(node, tier, movingTo, new Hold(held().unsureUntilMs, untilMs, by));
    }

    /** The NameNode has it where it is known to be. */
    Place confirmed(long nowMs) {
        return hold == null
                ? this
                : isLeftAlone(nowMs) ? unsureUntil(Long.MIN_VALUE) : new Place(node, tier, movingTo, null);
    }
}
