package io.terrace.channel.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Receives the body of a response, in the order in which it comes. Guarded by its {@link TcpRequest}'s monitor. */
interface ResponseSink {
    /** Bytes of the whole body. */
    int bodyBytes();

    /**
     * Room for what comes next; none only when all is there.
     *
     * @throws IOException when there is no memory for it
     */
    ByteBuffer room() throws IOException;

    /** Told that the room was moved on; returns whether a part is there now that somebody may wait for. */
    boolean landed();

    /** Whether the socket may be read straight into it, however little is left. */
    boolean isStreamed();
}
