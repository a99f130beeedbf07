package io.terrace.bench.writefaults;

import java.util.Locale;

/** What happens while a file is written. */
enum Fault {
    NONE(false),
    KILL_CLIENT(false),
    /** The client is stopped for a while, as by a long garbage collection. */
    STOP_CLIENT(false),
    /** Another client recovers the lease while the writer goes on. */
    TAKE_LEASE(false),
    KILL_DATANODE(true),
    STOP_DATANODE(true),
    KILL_NAMENODE(false),
    STOP_NAMENODE(false),
    /** Connections to a DataNode's channel are reset, and refused for a while. */
    CUT_LINK(true),
    /** Nothing gets through to a DataNode's channel, or back, for a while; connections stay. */
    STALL_LINK(true),
    /** A megabyte a second for a while. */
    SLOW_LINK(true),
    /** A DataNode's volume has no space left for a while. */
    FULL_VOLUME(true);

    private final boolean ofOneDataNode;

    Fault(boolean ofOneDataNode) {
        this.ofOneDataNode = ofOneDataNode;
    }

    /** Whether it concerns one DataNode, so that a file with another replica can be written on. */
    boolean ofOneDataNode() {
        return ofOneDataNode;
    }

    /** For messages. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
