package io.terrace.datanode.extent;

/** Where an extent is in its life. States only ever advance. */
public enum ExtentState {
    /** Room and an address are taken, the bytes are being copied and verified; nobody reads it. */
    COPYING,
    /** Served, granted and lent. */
    LIVE,
    /** No new grant and no new read, but its bytes stay whole until the last reader is gone. */
    RETIRING,
    /** Nobody reads it any more: the file is about to be removed; bytes still count as used. */
    REMOVABLE,
    /** File gone, bytes given back, address resting. */
    FREED
}
