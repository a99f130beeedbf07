package io.terrace.bench.read;

/** What {@code bench remote} measures, in this order. */
public enum RemotePart {
    /** Positional reads. */
    POSITIONAL,
    /** Sequential reads. */
    SEQUENTIAL,
    /** The DataNode's processor time. */
    CPU,
    /** Several readers at a time. */
    READERS,
    /** The choice between memory elsewhere and a replica on this host. */
    CHOICE,
    /** Calls to the NameNode. */
    CALLS
}
