package io.terrace.channel;

import java.io.IOException;

/** The bytes received are no control message of this protocol. Their connection cannot be used any more. */
public final class MalformedMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message);
    }
}
