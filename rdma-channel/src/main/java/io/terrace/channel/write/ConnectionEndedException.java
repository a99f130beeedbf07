package io.terrace.channel.write;

import java.io.IOException;

/** The connection to a DataNode is of no more use; the DataNode said nothing about the block. */
public final class ConnectionEndedException extends IOException {
    private static final long serialVersionUID = 1;

    ConnectionEndedException(String message) {
        super(message);
    }

    ConnectionEndedException(IOException cause) {
        super(cause.toString(), cause);
    }
}
