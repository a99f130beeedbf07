package io.terrace.channel;

/** Where bytes of a block are, fastest first. The order of the constants is on the wire; only append. */
public enum Tier {
    MEMORY,
    NVM,
    SSD,
    DISK,
    ARCHIVE
}
