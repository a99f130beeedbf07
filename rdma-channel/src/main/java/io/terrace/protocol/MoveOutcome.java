package io.terrace.protocol;

/**
 * How a move ended. All but {@link #DONE} leave the block where it was. A DataNode reports those up to {@link #FAILED}; only
 * the placement service knows the others, which have no number on the wire.
 */
public enum MoveOutcome {
    DONE("done"),
    /** The tier is full of what may not be evicted. */
    NO_ROOM("the memory tier was full of what may not be evicted"),
    /** No finalised replica of that stamp and length here, or no copy to drop. */
    NOT_HERE("the DataNode has no finalised replica of that stamp"),
    /** The replica changed while it was copied. */
    CHANGED("the block changed while it was copied"),
    /** The replica failed its checksums and was reported. */
    CORRUPT("the replica failed its checksums"),
    /** A pinned copy is not dropped. */
    PINNED("the copy is pinned by a cache directive"),
    /** Off, shutting down, too many orders, or an order of an earlier epoch. */
    REFUSED("the DataNode refused the order"),
    /** Anything else. */
    FAILED("the DataNode failed to carry it out"),
    /** The DataNode went away or said nothing in time. */
    LOST("no result came in time"),
    /** The NameNode's map says that the block may not be moved. */
    UNFIT("the NameNode does not allow it"),
    /** Taken back before it was sent. */
    CANCELLED("taken back before it was sent"),
    /** The budget left no room for it in time. */
    EXPIRED("waited too long for the move budget");

    private final String text;

    MoveOutcome(String text) {
        this.text = text;
    }

    /** One clause for a person to read. */
    public String text() {
        return text;
    }
}
