package io.terrace.placement.heartbeat;

import io.terrace.metrics.FigureTable;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import io.terrace.placement.heartbeat.Heartbeat.Reader;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OfferProto;
import io.terrace.protocol.proto.DataNodeProtos.OffersWantedProto;
import io.terrace.protocol.proto.DataNodeProtos.ReadTimeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizedProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRuleProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRulesProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Converts heartbeats and their answers between the wire and the engine. Refuses what no honest DataNode sends, and decodes
 * no more than {@link HeartbeatLimits} of each heartbeat: this is the one place where they are cut, so what waits for the
 * engine and what it keeps is bounded.
 */
public final class HeartbeatCodec {

    /** No amount that is real is larger, and sums of many such stay numbers. */
    private static final long LARGEST_AMOUNT = 1L << 56;

    /** 8 TiB; so many bytes of each block that the loop may know of still add up. */
    private static final long LONGEST_BLOCK = 1L << 43;

    private HeartbeatCodec() {}

    /**
     * @param host under which the DataNode is registered, whatever it calls itself; likewise the port
     * @param entries of heat, residency and results that are taken; {@link HeartbeatLimits} has the other limits
     * @param metricRegistry counts what is not taken
     * @throws IllegalArgumentException naming the field that cannot be
     */
    public static Heartbeat heartbeat(
            HeartbeatRequestProto proto, String host, int transferPort, int entries, MetricRegistry metricRegistry) {
        HeartbeatLimits limits = new HeartbeatLimits(entries, metricRegistry);
        // Of a table that this release does not have: the answer names another, so the next heartbeat has them with
        // ids.
        boolean figuresOmitted =
                proto.getFiguresOmitted() || (proto.hasFigureTable() && proto.getFigureTable() != FigureTable.ID);
        List<String> readerHosts =
                limits.first(HeartbeatLimits.MOST_READER_HOSTS, proto.getReaderHostsList(), limits::name);
        return new Heartbeat(
                proto.getDatanodeUuid(),
                limits.name(host),
                transferPort,
                proto.getIncarnation(),
                proto.getSequence(),
                limits.first(HeartbeatLimits.MOST_TIERS, proto.getTiersList(), HeartbeatCodec::tier),
                limits.first(entries, proto.getHeatList(), heat -> heat(heat, readerHosts)),
                limits.first(entries, proto.getResidencyList(), HeartbeatCodec::residency),
                proto.getFullResidency(),
                limits.first(entries, proto.getResultsList(), result -> result(result, limits)),
                figuresOmitted
                        ? null
                        : limits.first(
                                HeartbeatLimits.MOST_CONDITIONS,
                                proto.getConditionsList(),
                                condition -> condition(condition, limits)),
                amount(proto.getBytesServed(), "bytesServed"),
                proto.getServing(),
                figuresOmitted ? null : figures(proto, limits),
                proto.getTakesVolumeMoves(),
                limits.name(proto.getRelease()),
                proto.hasResized() ? resized(proto.getResized(), limits) : null,
                limits.first(HeartbeatLimits.MOST_TIERS, proto.getReadTimesList(), HeartbeatCodec::readTime),
                limits.first(io.terrace.protocol.HeartbeatLimits.OFFERS, proto.getOffersList(), HeartbeatCodec::offer),
                proto.getWriteThroughRules());
    }

    private static Offer offer(OfferProto proto) {
        return new Offer(
                block(proto.getBlock()), ProtoConverter.tier(proto.getTier()), amount(proto.getAgeMs(), "ageMs"));
    }

    private static ReadTime readTime(ReadTimeProto proto) {
        return new ReadTime(
                ProtoConverter.tier(proto.getTier()),
                amount(proto.getReads(), "reads"),
                amount(proto.getBytes(), "bytes"),
                amount(proto.getNs(), "ns"));
    }

    private static Resized resized(ResizedProto proto, HeartbeatLimits limits) {
        return new Resized(
                proto.getId(),
                amount(proto.getCapacityBytes(), "capacityBytes"),
                amount(proto.getConfiguredBytes(), "configuredBytes"),
                proto.hasRefusal() ? limits.text(proto.getRefusal()) : null);
    }

    /** The same for operators. */
    public static ResizedProto resized(Resized resized) {
        ResizedProto.Builder proto = ResizedProto.newBuilder()
                .setId(resized.id())
                .setCapacityBytes(resized.capacityBytes())
                .setConfiguredBytes(resized.configuredBytes());
        if (resized.refusal() != null) {
            proto.setRefusal(resized.refusal());
        }
        return proto.build();
    }

    private static Map<String, Long> figures(HeartbeatRequestProto proto, HeartbeatLimits limits) {
        if (proto.hasFigureTable()) {
            return HeartbeatFigures.ofTable(proto.getFigureValuesList());
        }
        return HeartbeatFigures.byId(limits.first(
                HeartbeatLimits.MOST_FIGURES, proto.getFiguresList(), figure -> withShortId(figure, limits)));
    }

    /** An id that may be too long is cut; a character takes a byte at least. */
    private static FigureValueProto withShortId(FigureValueProto figure, HeartbeatLimits limits) {
        return figure.getSerializedSize() <= HeartbeatLimits.LONGEST_NAME
                ? figure
                : figure.toBuilder().setId(limits.name(figure.getId())).build();
    }

    private static Residency residency(ResidencyProto proto) {
        return new Residency(block(proto.getBlock()), proto.getResident(), proto.getPinned());
    }

    /** The same for the way back. */
    public static HeartbeatResponseProto answer(HeartbeatAnswer answer) {
        HeartbeatResponseProto.Builder proto = HeartbeatResponseProto.newBuilder()
                .setActive(answer.active())
                .setEpoch(answer.epoch())
                .setServe(answer.serve())
                .setFullResidencyWanted(answer.fullWanted())
                .setKeepsFigures(true)
                .setFigureTable(FigureTable.ID)
                .setHeartbeatIntervalMs(answer.intervalMs());
        if (answer.controlPercent() > 0) {
            proto.setControlPercent(answer.controlPercent());
        }
        if (answer.readersWanted()) {
            proto.setReadersWanted(true);
        }
        answer.orders().forEach(order -> ProtoConverter.add(proto, order));
        answer.offersWanted()
                .forEach(wanted -> proto.addOffersWanted(OffersWantedProto.newBuilder()
                        .setTier(ProtoConverter.tier(wanted.tier()))
                        .setLeastAgeMs(wanted.leastAgeMs())));
        proto.setOffersTaken(answer.offersTaken());
        Resize resize = answer.resize();
        if (resize != null) {
            proto.setResize(ResizeProto.newBuilder().setId(resize.id()).setCapacityBytes(resize.capacityBytes()));
        }
        if (answer.writeThroughRules() != null) {
            proto.setWriteThroughRules(writeThroughRules(answer.writeThroughRules()));
        }
        return proto.build();
    }

    private static WriteThroughRulesProto writeThroughRules(WriteThroughRules told) {
        WriteThroughRulesProto.Builder proto =
                WriteThroughRulesProto.newBuilder().setId(told.id());
        told.rules()
                .forEach(rule -> proto.addRules(
                        WriteThroughRuleProto.newBuilder().setPath(rule.path()).setToMemory(rule.toMemory())));
        return proto.build();
    }

    static StampedBlock block(BlockProto proto) {
        return new StampedBlock(
                proto.getBlockId(),
                proto.getGenerationStamp(),
                within(LONGEST_BLOCK, proto.getLengthBytes(), "lengthBytes"));
    }

    public static TierStateProto tier(TierState tier) {
        return TierStateProto.newBuilder()
                .setTier(ProtoConverter.tier(tier.tier()))
                .setCapacityBytes(tier.capacityBytes())
                .setUsedBytes(tier.usedBytes())
                .setRetiringBytes(tier.retiringBytes())
                .setPinnedBytes(tier.pinnedBytes())
                .setExtents(tier.extents())
                .build();
    }

    private static TierState tier(TierStateProto proto) {
        return new TierState(
                ProtoConverter.tier(proto.getTier()),
                amount(proto.getCapacityBytes(), "capacityBytes"),
                amount(proto.getUsedBytes(), "usedBytes"),
                amount(proto.getRetiringBytes(), "retiringBytes"),
                amount(proto.getPinnedBytes(), "pinnedBytes"),
                amount(proto.getExtents(), "extents"));
    }

    private static Heat heat(HeatProto proto, List<String> readerHosts) {
        return new Heat(
                block(proto.getBlock()),
                ProtoConverter.tier(proto.getReplicaTier()),
                proto.getInMemory(),
                amount(proto.getReads(), "reads"),
                amount(proto.getBytesRead(), "bytesRead"),
                amount(proto.getBytesReadFromMemory(), "bytesReadFromMemory"),
                amount(proto.getWrites(), "writes"),
                amount(proto.getBytesWritten(), "bytesWritten"),
                amount(proto.getAgeMs(), "ageMs"),
                amount(proto.getTimedReads(), "timedReads"),
                amount(proto.getTimedNs(), "timedNs"),
                proto.getReadersCount() == 0 ? List.of() : readers(proto, readerHosts));
    }

    /** Those of hosts that the heartbeat names. */
    private static List<Reader> readers(HeatProto proto, List<String> readerHosts) {
        int told =
                Math.min(HeartbeatLimits.MOST_READERS, Math.min(proto.getReadersCount(), proto.getReadersReadsCount()));
        List<Reader> readers = new ArrayList<>(told);
        for (int i = 0; i < told; i++) {
            int host = proto.getReaders(i);
            if (host >= 0 && host <= readerHosts.size()) {
                readers.add(new Reader(
                        host == 0 ? Reader.THIS_HOST : readerHosts.get(host - 1),
                        amount(proto.getReadersReads(i), "readersReads")));
            }
        }
        return readers;
    }

    private static Result result(ResultProto proto, HeartbeatLimits limits) {
        return new Result(
                proto.getMoveId(),
                proto.getEpoch(),
                ProtoConverter.outcome(proto.getOutcome()),
                block(proto.getBlock()),
                amount(proto.getBytesMoved(), "bytesMoved"),
                amount(proto.getTookMs(), "tookMs"),
                proto.hasMessage() ? limits.text(proto.getMessage()) : null,
                proto.hasTier() ? ProtoConverter.tier(proto.getTier()) : null);
    }

    private static HealthFinding condition(ConditionProto proto, HeartbeatLimits limits) {
        Severity severity =
                switch (proto.getSeverity()) {
                    case NOTE -> Severity.NOTE;
                    case WARNING -> Severity.WARNING;
                    case ERROR -> Severity.ERROR;
                };
        return new HealthFinding(
                limits.name(proto.getId()),
                severity,
                limits.text(proto.getText()),
                proto.hasRemedy() ? limits.text(proto.getRemedy()) : null);
    }

    public static ConditionProto condition(HealthFinding condition) {
        ConditionProto.Builder proto = ConditionProto.newBuilder()
                .setId(condition.id())
                .setSeverity(
                        ConditionProto.Severity.forNumber(condition.severity().ordinal()))
                .setText(condition.text());
        if (condition.remedy() != null) {
            proto.setRemedy(condition.remedy());
        }
        return proto.build();
    }

    private static long amount(long value, String field) {
        return within(LARGEST_AMOUNT, value, field);
    }

    /** Unsigned on the wire, so what is too large may look negative here. */
    private static long within(long most, long value, String field) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(field + " is " + Long.toUnsignedString(value));
        }
        return value;
    }
}
