package io.terrace.bench.soak;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What goes wrong, or is changed, while clients read and write. */
enum SoakFault {
    KILL_DATANODE(12, true, Kind.KILL),
    STOP_DATANODE(14, true, Kind.PAUSE),
    KILL_NAMENODE(3, false, Kind.KILL),
    STOP_NAMENODE(6, false, Kind.PAUSE),
    /** The standby takes over; the active NameNode becomes the standby. */
    FAILOVER(8, false, Kind.PAIR),
    /** The active NameNode hangs, the standby takes over, and the one that wakes believes that it is active. */
    HANG_AND_FAIL_OVER(6, false, Kind.PAIR),
    KILL_CLIENT(10, false, Kind.KILL),
    STOP_CLIENT(12, false, Kind.PAUSE),
    CUT_LINK(10, true, Kind.OTHER),
    STALL_LINK(7, true, Kind.OTHER),
    SLOW_LINK(5, true, Kind.OTHER),
    FULL_VOLUME(4, true, Kind.OTHER),
    FULL_MEMORY(6, false, Kind.TERRACE),
    /** A bit of a replica on its volume. */
    FLIP_REPLICA(6, false, Kind.OTHER),
    /** A bit of a copy in memory. */
    FLIP_MEMORY(6, false, Kind.TERRACE),
    /** The placement service is switched off, and on again. */
    SERVICE_OFF(4, false, Kind.TERRACE),
    POLICY(7, false, Kind.TERRACE);

    /** Those of what passes between processes. */
    static final Set<SoakFault> LINKS = EnumSet.of(CUT_LINK, STALL_LINK, SLOW_LINK);

    /** What it counts as. */
    enum Kind {
        KILL,
        PAUSE,
        OTHER,
        /** Only a cluster with two NameNodes has what it concerns, and only its plan draws it. */
        PAIR,
        /** Only a cluster with Terrace has what it concerns. */
        TERRACE
    }

    private final int weight;
    private final boolean takesDataNode;
    private final Kind kind;

    SoakFault(int weight, boolean takesDataNode, Kind kind) {
        this.weight = weight;
        this.takesDataNode = takesDataNode;
        this.kind = kind;
    }

    /** How often it is drawn, compared with others. */
    int weight() {
        return weight;
    }

    /** Whether a DataNode does not serve as it should meanwhile; at most one does not at a time. */
    boolean takesDataNode() {
        return takesDataNode;
    }

    Kind kind() {
        return kind;
    }

    /** For messages and figures. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
