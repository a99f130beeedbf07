package io.terrace.metrics;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every figure that any part of Terrace counts or shows: THE list. {@code docs/metrics.md} is generated from it.
 *
 * <p>Ids are dotted and lower case; a unit that is not "count" ends the id. A counter only grows within one process.
 */
public enum Figure {
    // Client: what was served through grants, and every step down to stock HDFS by its reason.
    CLIENT_GRANTED_SHM_READS(
            "client.granted.shm.reads",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads served from a granted extent by a positional file read or a mapping."),
    CLIENT_GRANTED_SHM_BYTES(
            "client.granted.shm.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Bytes served from granted extents on the same host."),
    CLIENT_GRANTED_MAPPED_BYTES(
            "client.granted.mapped.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "The part of the granted bytes that was copied out of a mapping."),
    CLIENT_MAPPED_BYTES(
            "client.mapped.bytes",
            Unit.BYTES,
            Kind.GAUGE,
            Where.CLIENT,
            "Bytes of extents that are mapped now; bounded by terrace.client.mapped.max."),
    CLIENT_GRANTS("client.grants", Unit.COUNT, Kind.GAUGE, Where.CLIENT, "Grants held now."),
    CLIENT_GRANTS_ASKED(
            "client.grants.asked", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants asked of DataNodes of this host."),
    CLIENT_GRANTS_GIVEN("client.grants.given", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Grants received and opened."),
    CLIENT_GRANTS_REVOKED(
            "client.grants.revoked",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Grants given back because the DataNode asked for them."),
    CLIENT_CONNECTIONS(
            "client.connections",
            Unit.COUNT,
            Kind.GAUGE,
            Where.CLIENT,
            "DataNodes of this host that the client is connected to."),
    CLIENT_REPORTED_BYTES(
            "client.reported.bytes", Unit.BYTES, Kind.COUNTER, Where.CLIENT, "Granted bytes reported to DataNodes."),
    CLIENT_REPORTED_READS(
            "client.reported.reads", Unit.COUNT, Kind.COUNTER, Where.CLIENT, "Granted reads reported to DataNodes."),
    CLIENT_UNREPORTED_BYTES(
            "client.unreported.bytes",
            Unit.BYTES,
            Kind.COUNTER,
            Where.CLIENT,
            "Granted bytes that could not be reported any more: their DataNode was gone."),
    CLIENT_FALLBACK_OFF(
            "client.fallback.off",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: terrace.enabled is false or terrace.channel.dir is unset."),
    CLIENT_FALLBACK_SETTINGS(
            "client.fallback.settings",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: a terrace.* setting is wrong; the log names it."),
    CLIENT_FALLBACK_NO_DATANODE(
            "client.fallback.no_datanode",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: no DataNode of this host answers in terrace.channel.dir."),
    CLIENT_FALLBACK_NOT_RESIDENT(
            "client.fallback.not_resident",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the block is not resident on this host."),
    CLIENT_FALLBACK_UNDER_CONSTRUCTION(
            "client.fallback.under_construction",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the file is being written."),
    CLIENT_FALLBACK_REFUSED(
            "client.fallback.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the DataNode refused the grant."),
    CLIENT_FALLBACK_TIMEOUT(
            "client.fallback.timeout",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the DataNode did not answer in time."),
    CLIENT_FALLBACK_UNREACHABLE(
            "client.fallback.unreachable",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the granted extent cannot be opened here, as in a container that does not see the memory tier."),
    CLIENT_FALLBACK_LENGTH(
            "client.fallback.length",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: the extent is shorter than what the reader may see."),
    CLIENT_FALLBACK_LIMIT(
            "client.fallback.limit",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: a limit of the client is reached."),
    CLIENT_FALLBACK_FAILED(
            "client.fallback.failed",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Readers left to stock HDFS: anything else; the log says what."),
    CLIENT_READS_ABANDONED(
            "client.reads.abandoned",
            Unit.COUNT,
            Kind.COUNTER,
            Where.CLIENT,
            "Reads through a grant that ended meanwhile and could not be renewed: done again by stock HDFS."),

    // The server of grants in a DataNode.
    CHANNEL_CONNECTIONS(
            "channel.connections", Unit.COUNT, Kind.GAUGE, Where.DATANODE, "Clients connected to the grant server."),
    CHANNEL_CONNECTIONS_REFUSED(
            "channel.connections.refused",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections cut at once: too many, in all or of one user."),
    CHANNEL_PEERS_CUT(
            "channel.peers.cut",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections cut for garbage, silence or a missed deadline."),
    CHANNEL_PEERS_LOST(
            "channel.peers.lost",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Connections that ended without a goodbye; what such a client read since its last report is unknown."),
    CHANNEL_GRANTS("channel.grants", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Grants given."),
    CHANNEL_GRANTS_REFUSED(
            "channel.grants.refused", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Grants refused, for any reason."),
    CHANNEL_LINKS_EXPIRED(
            "channel.links.expired",
            Unit.COUNT,
            Kind.COUNTER,
            Where.DATANODE,
            "Granted links that the client did not open in time."),
    CHANNEL_REVOKES("channel.revokes", Unit.COUNT, Kind.COUNTER, Where.DATANODE, "Revocations sent to clients.");

    /** What a value counts. */
    public enum Unit {
        COUNT,
        BYTES,
        MILLISECONDS,
        NANOSECONDS,
        RATIO
    }

    /** How a value moves. */
    public enum Kind {
        /** Only grows within one process. */
        COUNTER,
        /** Goes up and down. */
        GAUGE
    }

    /** Which process has it. */
    public enum Where {
        CLIENT,
        DATANODE,
        NAMENODE
    }

    private static final Map<String, Figure> BY_ID =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Figure::id, Function.identity()));

    private final String id;
    private final Unit unit;
    private final Kind kind;
    private final Where where;
    private final String doc;

    Figure(String id, Unit unit, Kind kind, Where where, String doc) {
        this.id = id;
        this.unit = unit;
        this.kind = kind;
        this.where = where;
        this.doc = doc;
    }

    /** Dotted name without the leading {@code terrace.}. */
    public String id() {
        return id;
    }

    public Unit unit() {
        return unit;
    }

    public Kind kind() {
        return kind;
    }

    public Where where() {
        return where;
    }

    public String doc() {
        return doc;
    }

    /** The figure of that id, or null. */
    public static @org.jspecify.annotations.Nullable Figure byId(String id) {
        return BY_ID.get(id);
    }
}
