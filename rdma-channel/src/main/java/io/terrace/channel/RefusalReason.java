package io.terrace.channel;

/** Why a grant was refused. The order of the constants is on the wire; only append. */
public enum RefusalReason {
    /** No live extent of that block. */
    NOT_RESIDENT,
    /** The block is there with another generation stamp. */
    STALE_STAMP,
    /** The token is forged, for another block, or does not allow the access. */
    BAD_TOKEN,
    EXPIRED_TOKEN,
    /** One-sided writes are not offered for this block. */
    NO_WRITES,
    /** A limit of the server is reached; later it may work. */
    BUSY,
    /** Taken out of service by the operator, or shutting down. */
    OFF,
    /** The server failed; its log says how. */
    FAILED
}
