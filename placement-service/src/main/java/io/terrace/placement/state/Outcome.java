package io.terrace.placement.state;

/** How a move ended. All but {@link #DONE} leave the block where it was. */
public enum Outcome {
    DONE("done"),
    NO_ROOM("the memory tier was full of what may not be evicted"),
    NOT_HERE("the DataNode has no finalised replica of that stamp"),
    CHANGED("the block changed while it was copied"),
    CORRUPT("the replica failed its checksums"),
    PINNED("the copy is pinned by a cache directive"),
    REFUSED("the DataNode refused the order"),
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

    Outcome(String text) {
        this.text = text;
    }

    /** One clause for a person to read. */
    public String text() {
        return text;
    }
}
