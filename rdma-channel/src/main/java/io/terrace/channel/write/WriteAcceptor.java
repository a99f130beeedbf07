package io.terrace.channel.write;

import java.io.IOException;

/** Takes over connections on which clients write, from the listeners that accepted them. */
public interface WriteAcceptor {
    /** Where nobody writes. */
    WriteAcceptor NONE = connection -> {
        throw new IOException("this DataNode takes no writes over the channel");
    };

    /**
     * Serves a connection from now on, on another thread. Called on a listener's thread: does not wait.
     *
     * @throws IOException when this connection is not served; the caller closes it
     */
    void accept(AcceptedConnection connection) throws IOException;
}
