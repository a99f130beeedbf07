package io.terrace.common;

/** Where bytes of a block are, fastest first. The order of the constants is on the wire; only append. */
public enum StorageTier {
    MEMORY,
    NVM,
    SSD,
    DISK,
    ARCHIVE
}
