package io.terrace.protocol;

/** How an order ended. */
public enum MoveOutcome {
    DONE,
    /** The tier is full of what may not be evicted. */
    NO_ROOM,
    /** No finalised replica of that stamp and length here, or no copy to drop. */
    NOT_HERE,
    /** The replica changed while it was copied. */
    CHANGED,
    /** The replica failed its checksums and was reported. */
    CORRUPT,
    /** A pinned copy is not dropped. */
    PINNED,
    /** Off, shutting down, too many orders, or an order of an earlier epoch. */
    REFUSED,
    /** Anything else. */
    FAILED
}
