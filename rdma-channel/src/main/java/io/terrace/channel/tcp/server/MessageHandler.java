package io.terrace.channel.tcp.server;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;

/** Handles the control messages that reach a {@link TcpListener}. Called on its loops: must not wait. */
public interface MessageHandler {
    /** A control message; calls for one session come in their order, one at a time. */
    void message(TcpSession session, ByteBuffer message) throws MalformedMessageException;

    /** A connection was not taken in: there are too many. */
    void refused();

    /** A session ends because of what its peer did, or left undone. */
    void cut();

    /** The session is gone: its last call. */
    void ended(TcpSession session);
}
