package io.terrace.channel.tcp;

import java.nio.ByteBuffer;

/** Who answers the control messages that reach a {@link TcpListener}. Called on its loops: must not wait. */
interface Conversation {
    /** A control message; calls for one session come in their order, one at a time. */
    void message(TcpSession session, ByteBuffer message);

    /** The session is gone: its last call. */
    void ended(TcpSession session);
}
