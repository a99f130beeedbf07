package io.terrace.datanode.write;

import java.io.IOException;

/** Told what happens between the DataNodes of a block; thread-safe. Where a method throws, the next DataNode has failed. */
public interface PipelineEvents {
    /** Where nobody wants to know. */
    PipelineEvents NONE = new PipelineEvents() {};

    /** A frame is about to be sent on. */
    default void sending() throws IOException {
        // Nothing to do.
    }

    /** A frame with so much data was sent on. */
    default void sent(int dataBytes, long tookNs) throws IOException {
        // Nothing to do.
    }

    /** The next DataNode has acknowledged something. */
    default void acknowledgedByNext() throws IOException {
        // Nothing to do.
    }

    /** What the next DataNode answers is about to be taken in. */
    default void receiving() throws IOException {
        // Nothing to do.
    }

    /** All after this DataNode had a frame so long after its end was sent. Not told of each frame. */
    default void answered(long tookNs) {
        // Nothing to do.
    }

    /** Something was acknowledged, to readers and to the client. */
    default void acknowledged(long tookNs) throws IOException {
        // Nothing to do.
    }

    /** Whether a client that pings is answered. */
    default boolean answersPing() {
        return true;
    }
}
