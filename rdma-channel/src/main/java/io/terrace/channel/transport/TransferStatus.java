package io.terrace.channel.transport;

/**
 * How a transfer on a channel ended. Whatever is not DONE left nothing in the buffer that may be used. The order of the
 * constants is on the wire; only append.
 */
public enum TransferStatus {
    DONE,
    /** The range ended, or its file was cut, before the last byte. */
    SHORT,
    /** The key is void, or does not allow this. */
    NO_ACCESS,
    DEADLINE,
    DISCONNECTED,
    FAILED
}
