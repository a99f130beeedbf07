package io.terrace.channel.transport;

/** What a registered range may be used for from afar. */
public enum Access {
    READ,
    READ_WRITE
}
