package io.terrace.placement.hdfs.admin;

import io.terrace.placement.explain.BlockSituation;
import io.terrace.placement.explain.BlockVerdict;
import io.terrace.placement.explain.FileSituation;
import io.terrace.placement.explain.OpenFile;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.BlockFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.ReplicaFacts;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.placement.heartbeat.Resize;
import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.AnnotatedRule.Held;
import io.terrace.placement.policyfile.AnnotatedRule.Ignored;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.policy.api.Explanation;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.HeldWordProto;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.IgnoredAnnotationProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MoveRowProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.PoolUseProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaRowProto;
import io.terrace.protocol.proto.AdminProtos.TakenSpeedProto;
import io.terrace.protocol.proto.AdminProtos.WhyProto;
import io.terrace.protocol.proto.AdminProtos.WritingProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The loop's reports, joined with the NameNode's facts, for the wire. */
final class AdminCodec {

    /** How policies name another block in their sentences. */
    private static final Pattern OTHER_BLOCK = Pattern.compile("object -?\\d+");

    /** How DataNodes name blocks, with their pool or without. */
    private static final Pattern BLOCK_ID = Pattern.compile("(?:BP-[^\\s:]+:)?blk_-?\\d+(?:_\\d+)?");

    private static final int MOVES_SHOWN = 10;

    private AdminCodec() {}

    /**
     * Who reads a report, and when.
     *
     * @param names of DataNodes, by UUID
     * @param full whether the reader may know of blocks besides the one that is reported on
     */
    record Reader(long nowMs, Map<String, String> names, boolean full) {

        String shown(String sentence) {
            return full ? sentence : OTHER_BLOCK.matcher(sentence).replaceAll("another block");
        }

        /** What a DataNode said of a move, which may name its block. */
        String message(String said) {
            return full ? said : BLOCK_ID.matcher(said).replaceAll("the block");
        }
    }

    static NodeProto node(NodeReport node) {
        NodeProto.Builder proto = summary(node);
        node.conditions().forEach(condition -> proto.addConditions(HeartbeatCodec.condition(condition)));
        node.figures().forEach((id, value) -> proto.addFigures(figure(id, value)));
        return proto.build();
    }

    /** Without its conditions and figures, of which there are many. */
    static NodeProto.Builder summary(NodeReport node) {
        NodeProto.Builder proto = NodeProto.newBuilder()
                .setUuid(node.uuid())
                .setName(node.name())
                .setLive(node.live())
                .setServing(node.serving())
                .setIdle(node.idle())
                .setSilentMs(node.silentMs())
                .setUpMs(node.upMs())
                .setResidents(node.residents())
                .setPinnedBytes(node.pinnedBytes())
                .setMovesWaiting(node.movesWaiting())
                .setMovesInFlight(node.movesInFlight())
                .setRelease(node.release());
        if (node.leaving() != null) {
            proto.setLeaving(node.leaving());
        }
        Resize resize = node.resize();
        if (resize != null) {
            proto.setResizingToBytes(resize.capacityBytes());
        }
        Resized resized = node.resized();
        if (resized != null) {
            proto.setResized(HeartbeatCodec.resized(resized));
        }
        node.tiers().forEach(tier -> proto.addTiers(HeartbeatCodec.tier(tier)));
        node.pools()
                .forEach(pool -> proto.addPools(PoolUseProto.newBuilder()
                        .setName(pool.name())
                        .setTier(pool.tier())
                        .setOwnBytes(pool.ownBytes())
                        .setMostBytes(pool.mostBytes())
                        .setUsedBytes(pool.usedBytes())));
        return proto;
    }

    static FigureValueProto figure(String id, long value) {
        return FigureValueProto.newBuilder().setId(id).setValue(value).build();
    }

    /** A hot block for those who may read its file. */
    static HotBlockProto hot(HotBlock hot, @Nullable String path) {
        HotBlockProto.Builder proto = HotBlockProto.newBuilder()
                .setBlock(ProtoConverter.block(hot.block()))
                .setHeat(hot.heat())
                .setReads(hot.reads())
                .setBytesRead(hot.bytesRead())
                .setBytesFromMemory(hot.bytesFromMemory())
                .setLastReadAgoMs(Math.max(0, hot.lastReadAgoMs()))
                .setInMemory(hot.inMemory());
        if (path != null) {
            proto.setPath(path);
        }
        if (hot.home() != null) {
            proto.setHome(hot.home());
        }
        return proto.build();
    }

    /** A hot block for others: nothing that tells which one it is. */
    static HotBlockProto nameless(HotBlock hot) {
        return HotBlockProto.newBuilder()
                .setHeat(hot.heat())
                .setInMemory(hot.inMemory())
                .build();
    }

    /** A move, with its block for those who may change placement. */
    static MoveProto listed(Move move, Reader reader) {
        return reader.full() ? withBlock(move, reader) : move(move, reader);
    }

    static MoveProto withBlock(Move move, Reader reader) {
        return move(move, reader).toBuilder()
                .setBlock(ProtoConverter.block(move.block()))
                .build();
    }

    private static MoveProto move(Move move, Reader reader) {
        MoveOutcome outcome = move.outcome();
        Volumes volumes = move.volumes();
        String state = outcome != null ? outcome.name() : move.isSent() ? "IN_FLIGHT" : "WAITING";
        MoveProto.Builder proto = MoveProto.newBuilder()
                .setId(move.id())
                .setKind(ProtoConverter.kind(volumes == null ? move.isPromotion() : volumes.isUp()))
                .setNode(reader.names().getOrDefault(move.node(), move.node()))
                .setCause(move.cause().name().toLowerCase(Locale.ROOT))
                .setReason(reader.shown(move.reason()))
                .setState(state.toLowerCase(Locale.ROOT))
                .setMessage(reader.message(move.message()))
                .setWishedAgoMs(Math.max(0, reader.nowMs() - move.requestedMs()))
                .setBytesMoved(move.bytesMoved());
        if (volumes != null) {
            proto.setFrom(ProtoConverter.tier(volumes.from())).setTo(ProtoConverter.tier(volumes.to()));
        }
        if (move.endedMs() >= 0) {
            proto.setEndedAgoMs(Math.max(0, reader.nowMs() - move.endedMs()));
        }
        return proto.build();
    }

    static BlockReportProto block(BlockFacts facts, BlockReport report, Reader reader) {
        BlockReportProto.Builder proto = BlockReportProto.newBuilder()
                .setBlock(ProtoConverter.block(facts.block()))
                .setState(facts.state())
                .setPinned(report.pinned());
        if (report.heat() != null) {
            proto.setHeat(hot(report.heat(), null));
        }
        if (report.excluded() != null) {
            proto.setExcluded(report.excluded());
        }
        if (report.range() != null) {
            proto.setRange(report.range());
        }
        Set<String> shown = new HashSet<>();
        for (ReplicaFacts stored : facts.replicas()) {
            shown.add(stored.node());
            ReplicaReport known = report.replicas().stream()
                    .filter(candidate -> candidate.node().equals(stored.node()))
                    .findFirst()
                    .orElse(null);
            proto.addReplicas(
                    replica(stored.node(), reader.names().getOrDefault(stored.node(), stored.name()), known, reader)
                            .setStorageType(stored.storageType())
                            .setReporting(reader.names().containsKey(stored.node())));
        }
        for (ReplicaReport replica : report.replicas()) {
            if (!shown.contains(replica.node())) {
                proto.addReplicas(
                        replica(replica.node(), replica.name(), replica, reader).setReporting(replica.live()));
            }
        }
        report.lastMoves().stream().limit(MOVES_SHOWN).forEach(move -> proto.addLastMoves(move(move, reader)));
        return proto.build();
    }

    static BlockSituation situation(
            BlockFacts facts, BlockReport report, Reader reader, FileSituation file, @Nullable String satisfying) {
        return new BlockSituation(
                facts.block(),
                BlockSituation.Kind.valueOf(facts.state().toUpperCase(Locale.ROOT)),
                facts.replicas().stream()
                        .map(stored -> new BlockSituation.Replica(
                                stored.node(),
                                reader.names().getOrDefault(stored.node(), stored.name()),
                                stored.storageType().toLowerCase(Locale.ROOT)))
                        .toList(),
                report,
                file,
                satisfying);
    }

    static WritingProto writing(OpenFile file) {
        WritingProto.Builder proto = WritingProto.newBuilder()
                .setCompleteBlocks(file.completeBlocks())
                .setOpenBlocks(file.openBlocks())
                .addAllLines(file.lines());
        if (file.writer() != null) {
            proto.setClient(file.writer().client()).setHost(file.writer().host());
        }
        file.speeds()
                .forEach(speed -> proto.addSpeeds(TakenSpeedProto.newBuilder()
                        .setDatanode(speed.datanode())
                        .setBytesPerSecond(speed.bytesPerSecond())
                        .setToldAgoMs(speed.toldAgoMs())));
        return proto.build();
    }

    /** Adds what people are told of the block. */
    static BlockReportProto.Builder verdict(BlockReportProto.Builder block, BlockVerdict verdict) {
        block.setVerdict(verdict.state()).setBecause(verdict.why()).setNext(verdict.next());
        if (verdict.tiers() != null) {
            block.setTiers(verdict.tiers());
        }
        if (verdict.comings() != null) {
            block.setComings(verdict.comings());
        }
        verdict.replicas()
                .forEach(row -> block.addReplicaRows(ReplicaRowProto.newBuilder()
                        .setDatanode(row.datanode())
                        .setTier(row.tier())
                        .setCopy(row.copy())
                        .setReads(row.reads())
                        .setFromMemory(row.fromMemory())));
        verdict.moves()
                .forEach(row -> block.addMoveRows(MoveRowProto.newBuilder()
                        .setWhen(row.when())
                        .setMove(row.move())
                        .setBy(row.by())
                        .setResult(row.result())
                        .setBecause(row.because())));
        return block;
    }

    private static ReplicaProto.Builder replica(
            String node, String name, @Nullable ReplicaReport replica, Reader reader) {
        ReplicaProto.Builder proto = ReplicaProto.newBuilder()
                .setNode(node)
                .setName(name)
                .setInMemory(replica != null && replica.inMemory())
                .setPinned(replica != null && replica.pinned())
                .setHome(replica != null && replica.home());
        if (replica == null) {
            return proto;
        }
        proto.setHeat(replica.share()).setHeldBackMs(replica.heldBackMs());
        if (replica.heldForMs() > 0) {
            proto.setHeldForMs(replica.heldForMs());
        }
        if (replica.inMemory()) {
            proto.setResidentForMs(Math.max(0, replica.residentSinceMs()))
                    .setBytesServedFromMemory(replica.bytesServedFromMemory());
        }
        if (replica.why() != null) {
            proto.setWhy(why(replica.why(), reader));
        }
        if (replica.open() != null) {
            proto.setOpenMove(move(replica.open(), reader));
        }
        if (replica.between() != null) {
            proto.setVolumeMove(move(replica.between(), reader));
        }
        if (replica.stays() != null) {
            proto.setStays(replica.stays());
        }
        return proto;
    }

    private static WhyProto why(Explanation why, Reader reader) {
        WhyProto.Builder proto = WhyProto.newBuilder()
                .setPolicy(why.policy())
                .setRule(why.rule())
                .setSentence(reader.shown(why.sentence()));
        if (!Double.isNaN(why.count())) {
            proto.setCount(why.count());
        }
        if (!Double.isNaN(why.threshold())) {
            proto.setThreshold(why.threshold());
        }
        if (why.ageMs() >= 0) {
            proto.setAgeMs(why.ageMs());
        }
        if (reader.full() && why.competitor() != Explanation.NO_COMPETITOR) {
            proto.setRivalBlockId(why.competitor());
        }
        return proto.build();
    }

    /** What rules and annotations say of a file. */
    static List<HeldWordProto> words(AnnotatedRule resolved) {
        return resolved.words().stream().map(held -> word(resolved, held)).toList();
    }

    /** The words that annotations give. */
    static List<HeldWordProto> annotations(AnnotatedRule resolved) {
        return resolved.words().stream()
                .filter(held -> held.by() != null)
                .map(held -> word(resolved, held))
                .toList();
    }

    private static HeldWordProto word(AnnotatedRule resolved, Held held) {
        HeldWordProto.Builder word = HeldWordProto.newBuilder()
                .setWord(held.word().word())
                .setValue(held.value())
                .setSource(held.by() == null ? "policy" : held.by().name().toLowerCase(Locale.ROOT));
        if (held.path() != null) {
            word.setPath(held.path());
        } else if (resolved.rule() != null && resolved.rule().number() > 0) {
            word.setRule(resolved.rule().number());
        }
        return word.build();
    }

    /** @param full whether annotations of the superuser may be shown, which HDFS shows to nobody else */
    static List<IgnoredAnnotationProto> ignored(AnnotatedRule resolved, boolean full) {
        return resolved.ignored().stream()
                .filter(ignored -> full || !ignored.attribute().startsWith(Scope.TRUSTED.prefix()))
                .map(AdminCodec::ignored)
                .toList();
    }

    private static IgnoredAnnotationProto ignored(Ignored ignored) {
        return IgnoredAnnotationProto.newBuilder()
                .setAttribute(ignored.attribute())
                .setPath(ignored.path())
                .setValue(ignored.value())
                .setWhy(ignored.why())
                .build();
    }
}
