package io.terrace.channel.transport;

import java.io.IOException;

/** Bytes that arrived are not those that the block's checksums are of: read them from somewhere else. */
public final class ChecksumMismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    public ChecksumMismatchException(String message) {
        super(message);
    }
}
