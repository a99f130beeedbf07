package io.terrace.channel.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An operation on a channel that did not succeed, with its {@link TransferStatus}. */
public final class ChannelException extends IOException {
    private static final long serialVersionUID = 1L;

    private final TransferStatus status;

    public ChannelException(TransferStatus status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    public TransferStatus status() {
        return status;
    }
}
