package io.terrace.bench.write;

/** What {@code bench write} measures, in this order. */
public enum WritePart {
    /** Files of a gigabyte, one replica on this host. */
    LOCAL,
    /** The same, over tcp. */
    TCP,
    /** Processor time of client and DataNode. */
    CPU,
    /** Files of a gigabyte, three replicas, over tcp, and the processor time of the DataNodes; on a cluster of three. */
    R3,
    /** The same files, and a bare chain of three processes; on a cluster of three. */
    NIO,
    /** Four and sixteen writers at a time, three replicas, over tcp; on the same cluster. */
    WRITERS,
    /** Small files, three replicas; on a cluster of three. */
    SMALL,
    /** Records that are flushed one by one, three replicas; on the same cluster. */
    FLUSH,
    /** Files with and without a copy in memory that is filled while they are written; on a cluster of its own. */
    THROUGH,
    /** Files of three replicas on nine DataNodes whose links are slow; alone, as root. */
    SHAPED
}
