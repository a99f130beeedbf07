package io.terrace.channel.tcp;

import java.io.IOException;

/** Bytes that arrived are not those that the block's checksums are of: read them from somewhere else. */
public final class CorruptBytesException extends IOException {
    private static final long serialVersionUID = 1L;

    public CorruptBytesException(String message) {
        super(message);
    }
}
