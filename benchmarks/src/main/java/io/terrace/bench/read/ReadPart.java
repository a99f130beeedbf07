package io.terrace.bench.read;

/** What {@code bench read} measures, in this order. */
public enum ReadPart {
    /** The first sequential read of a hot file. */
    FIRST,
    /** Hot positional reads. */
    POSITIONAL,
    /** Hot sequential reads. */
    SEQUENTIAL,
    /** A stock client on a hot file. */
    STOCK,
    /** Reads of a file that is not in memory. */
    COLD,
    /** Open of a hot file. */
    OPEN,
    /** The DataNode's processor time. */
    CPU,
    /** How soon and how fast blocks are promoted. */
    PROMOTE
}
