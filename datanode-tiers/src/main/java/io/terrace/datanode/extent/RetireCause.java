package io.terrace.datanode.extent;

/** Why a memory copy stops being served. */
public enum RetireCause {
    /** The placement service ordered it, or a `cacheadmin` directive ended. */
    ORDERED,
    /** Room was needed for a block that a `cacheadmin` directive asks for. */
    MADE_ROOM,
    /** The replica changed, moved or went away. */
    CHANGED,
    /** Its block pool is taken away from this DataNode. */
    POOL_GONE,
    /** The DataNode stops; the file stays for the next process to verify and adopt. */
    SHUTDOWN,
    /** Terrace failed and leaves the DataNode stock; the process goes on, so the file goes. */
    BROKEN_OFF,
    /** The background scrub found bytes that do not match the checksums of the replica. */
    SCRUB_FAILED,
    /** Terrace was switched off for its block pool. */
    SWITCHED_OFF
}
