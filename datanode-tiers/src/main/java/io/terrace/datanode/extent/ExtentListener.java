package io.terrace.datanode.extent;

/** Hears what becomes resident and what stops being so. Called under the tier's lock: must be quick and never call back. */
public interface ExtentListener {

    /** The extent is served from now on, or its pin changed. */
    void resident(Extent extent, boolean pinned);

    /** The extent is no longer served. */
    void gone(Extent extent, RetireCause cause);

    /** One live copy more is pinned, or one fewer. */
    void pinned(boolean more);

    /** A stock client is passed the replica's descriptor, since too much of removed copies is kept open. */
    default void notPassed() {}

    /** The tier has something for its housekeeping to do now. */
    void housekeepingWanted();
}
