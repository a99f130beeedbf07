package io.terrace.channel.tcp.server;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.WriteAcceptor;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Handles the control messages that reach a {@link TcpListener}. Called on its loops: must not wait. */
public interface MessageHandler {
    /** A control message; calls for one session come in their order, one at a time. */
    void message(TcpSession session, ByteBuffer message) throws MalformedMessageException;

    /**
     * A client wants to write over a connection, which is no session any more. What is thrown closes the connection.
     */
    default void writes(AcceptedConnection connection) throws IOException {
        WriteAcceptor.NONE.accept(connection);
    }

    /** A connection was not taken in: there are too many. */
    void refused();

    /** A session ends because of what its peer did, or left undone. */
    void cut();

    /** The session is gone: its last call. */
    void ended(TcpSession session);
}
