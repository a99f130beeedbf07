package io.terrace.bench.cluster;

import java.io.IOException;

/** The local cluster cannot do what was asked; the message says why and what to do, and is meant for the user. */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1L;

    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
