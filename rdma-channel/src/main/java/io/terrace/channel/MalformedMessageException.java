package io.terrace.channel;

import java.io.IOException;

/** Bytes that are no control message of this protocol. The connection they came over is of no more use. */
public final class MalformedMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message);
    }
}
