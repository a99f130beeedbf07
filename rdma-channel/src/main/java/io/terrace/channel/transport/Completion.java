package io.terrace.channel.transport;

import java.util.Objects;

/**
 * The end of one posted operation; each operation has exactly one.
 *
 * @param operation the number that posting gave
 * @param bytes bytes moved; less than asked for unless {@link Status#DONE}
 */
public record Completion(long operation, Status status, int bytes) {
    /** How an operation ended. Whatever is not DONE left nothing in the buffer that may be used. */
    public enum Status {
        DONE,
        /** The range ended, or its file was cut, before the last byte. */
        SHORT,
        /** The key is void, or does not allow this. */
        NO_ACCESS,
        DEADLINE,
        DISCONNECTED,
        FAILED
    }

    public Completion {
        Objects.requireNonNull(status, "status");
    }
}
