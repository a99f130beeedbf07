package io.terrace.metrics;

import static io.terrace.metrics.Series.Tag.ASKER;
import static io.terrace.metrics.Series.Tag.OUTCOME;
import static io.terrace.metrics.Series.Tag.REASON;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counters that are shown as one name and told apart by a tag, so that they can be summed: each event is counted by one member. A
 * counter that is a part of another, or counts other things, is not of the family.
 */
enum MetricFamily {
    CLIENT_FALLBACK("client.fallback", REASON, "Readers left to stock HDFS.", under("client.fallback.")),
    CLIENT_WRITE_FALLBACK(
            "client.write.fallback",
            REASON,
            "Files left to stock HDFS by a client that writes over the channel; file systems, for protected and hadoop.",
            under("client.write.fallback.")),
    CLIENT_REMOTE_GRANTS(
            "client.remote.grants",
            OUTCOME,
            "Grants asked for over tcp.",
            Map.of(Metric.CLIENT_REMOTE_GRANTS, "given", Metric.CLIENT_REMOTE_REFUSED, "refused")),
    CLIENT_WRITE_REPLICAS_LOST(
            "client.write.replicas.lost",
            OUTCOME,
            "Replicas that were lost after the first DataNode of the block had all of it.",
            under("client.write.replicas.")),
    CHANNEL_GRANTS(
            "channel.grants",
            OUTCOME,
            "Grants asked for by clients.",
            Map.of(Metric.CHANNEL_GRANTS, "given", Metric.CHANNEL_GRANTS_REFUSED, "refused")),
    CHANNEL_WRITE_BLOCKS(
            "channel.write.blocks",
            OUTCOME,
            "Blocks that clients wrote over the channel, or wanted to.",
            Map.of(
                    Metric.CHANNEL_WRITE_BLOCKS,
                    "done",
                    Metric.CHANNEL_WRITE_REFUSED,
                    "refused",
                    Metric.CHANNEL_WRITE_FAILED,
                    "failed")),
    MEMORY_PROMOTIONS(
            "memory.promotions",
            OUTCOME,
            "Copies into memory: made, or not made for want of room or since the replica is corrupt.",
            Map.of(
                    Metric.MEMORY_PROMOTED,
                    "done",
                    Metric.MEMORY_FULL,
                    "full",
                    Metric.MEMORY_REPLICAS_CORRUPT,
                    "corrupt")),
    MEMORY_THROUGH_REFUSED(
            "memory.through.refused",
            REASON,
            "Blocks written without a copy in memory that a client asked for.",
            Map.of(
                    Metric.MEMORY_THROUGH_NO_ROOM,
                    "no_room",
                    Metric.MEMORY_THROUGH_BUSY,
                    "busy",
                    Metric.MEMORY_THROUGH_OFF,
                    "off",
                    Metric.MEMORY_THROUGH_STORAGE,
                    "storage")),
    MEMORY_RETIRED("memory.retired", REASON, "Copies retired.", under("memory.retired.")),
    MEMORY_LEFTOVERS("memory.leftovers", OUTCOME, "Copies of an earlier process.", under("memory.leftovers.")),
    VOLUME_MOVES(
            "volume.moves",
            OUTCOME,
            "Orders to move a replica between volumes.",
            Map.of(Metric.VOLUME_MOVED, "done", Metric.VOLUME_MOVES_FAILED, "failed")),
    HEARTBEATS(
            "heartbeats",
            OUTCOME,
            "Heartbeats to a placement service.",
            Map.of(Metric.HEARTBEATS, "answered", Metric.HEARTBEATS_FAILED, "failed")),
    PLACEMENT_MOVES(
            "placement.moves",
            OUTCOME,
            "Moves into memory and out of it: carried out, or why not.",
            Map.of(
                    Metric.PLACEMENT_PROMOTIONS_DONE,
                    "promoted",
                    Metric.PLACEMENT_DROPS_DONE,
                    "dropped",
                    Metric.PLACEMENT_MOVES_FAILED,
                    "failed",
                    Metric.PLACEMENT_MOVES_UNFIT,
                    "unfit",
                    Metric.PLACEMENT_MOVES_WITHDRAWN,
                    "withdrawn",
                    Metric.PLACEMENT_MOVES_HELD_BACK,
                    "held_back")),
    PLACEMENT_VOLUME_MOVES(
            "placement.volume.moves",
            OUTCOME,
            "Moves between volumes: carried out, or why not.",
            without(
                    under("placement.volume.moves."),
                    Metric.PLACEMENT_VOLUME_MOVES_WISHED,
                    Metric.PLACEMENT_VOLUME_MOVES_SENT)),
    PLACEMENT_LOOKS(
            "placement.looks",
            ASKER,
            "Holds of the NameNode's read lock, by what for.",
            Map.of(
                    Metric.PLACEMENT_LOOKS_ORDERS,
                    "orders",
                    Metric.PLACEMENT_LOOKS_REPORTS,
                    "reports",
                    Metric.PLACEMENT_LOOKS_REVIEWS,
                    "reviews",
                    Metric.PLACEMENT_LOOKS_OTHERS,
                    "others")),
    PLACEMENT_LOOKS_NANOSECONDS(
            "placement.looks.nanoseconds",
            ASKER,
            "Time of these holds, by what for.",
            Map.of(
                    Metric.PLACEMENT_LOOKS_ORDERS_NANOSECONDS,
                    "orders",
                    Metric.PLACEMENT_LOOKS_REPORTS_NANOSECONDS,
                    "reports",
                    Metric.PLACEMENT_LOOKS_REVIEWS_NANOSECONDS,
                    "reviews",
                    Metric.PLACEMENT_LOOKS_OTHERS_NANOSECONDS,
                    "others")),
    PLACEMENT_WRITTEN(
            "placement.written",
            OUTCOME,
            "Blocks that a rule or an annotation wants in memory as soon as they are written.",
            under("placement.written."));

    private static final Map<Metric, MetricFamily> BY_METRIC = new EnumMap<>(Metric.class);

    static {
        for (MetricFamily family : values()) {
            family.members.keySet().forEach(metric -> {
                if (BY_METRIC.put(metric, family) != null) {
                    throw new IllegalStateException(metric + " is of two families");
                }
            });
        }
    }

    private final String id;
    private final String tag;
    private final String doc;
    private final Map<Metric, String> members;

    MetricFamily(String id, String tag, String doc, Map<Metric, String> members) {
        this.id = id;
        this.tag = tag;
        this.doc = doc;
        this.members = members;
    }

    /** All counters whose id begins so, told apart by the rest of it. */
    private static Map<Metric, String> under(String prefix) {
        Map<Metric, String> members = new LinkedHashMap<>();
        Stream.of(Metric.values())
                .filter(metric ->
                        metric.kind() == Metric.Kind.COUNTER && metric.id().startsWith(prefix))
                .forEach(metric -> members.put(metric, metric.id().substring(prefix.length())));
        return members;
    }

    private static Map<Metric, String> without(Map<Metric, String> members, Metric... others) {
        for (Metric other : others) {
            members.remove(other);
        }
        return members;
    }

    /** The family of a metric, or null. */
    static @Nullable MetricFamily of(Metric metric) {
        return BY_METRIC.get(metric);
    }

    /** Dotted name, as an id. */
    String id() {
        return id;
    }

    /** What its members have in common. */
    String doc() {
        return doc;
    }

    /** What tells a member from the others. */
    Series.Tag tag(Metric member) {
        return new Series.Tag(tag, Objects.requireNonNull(members.get(member)));
    }
}
