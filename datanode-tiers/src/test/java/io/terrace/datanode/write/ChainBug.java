package io.terrace.datanode.write;

/** A bug that {@link ForwardChain} puts beside the real classes, to prove that its checks find it. */
enum ChainBug {
    NONE,
    /** The first DataNode answers what it has itself, not the lesser of that and what those after it have. */
    OWN_FOR_ALL,
    /** A frame is answered for before it is written. */
    ANSWERED_BEFORE_WRITTEN,
    /** The end is answered for before the replica is finalised. */
    ANSWERED_BEFORE_FINALISED,
    /** The writer sends a frame itself though it is the forwarder's turn. */
    SENT_OUT_OF_TURN,
    /** What the forwarder sends does not say that it is to be synced. */
    SYNC_NOT_SENT_ON,
    /** A frame that waits is not put together with the next one, but replaced by it. */
    WAITING_FRAME_REPLACED,
    /** What the last DataNode answers is lost. */
    LAST_NOT_HEARD
}
