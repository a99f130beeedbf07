package io.terrace.placement.hdfs.admin;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.hdfs.admin.AdminCodec.Reader;
import io.terrace.placement.hdfs.admin.Explanations.Target;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.journal.Journal;
import io.terrace.placement.journal.MoveRecord;
import io.terrace.placement.state.Move;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.AdminProtos.HistoryRequestProto;
import io.terrace.protocol.proto.AdminProtos.HistoryResponseProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers which moves the blocks of a file made, by their ids, so that renames change nothing: from the journal, or where
 * there is none from the latest moves on the heap. Thread-safe.
 */
final class FileHistory {

    private static final int MOST_MOVES = 1000;
    private static final int MOST_BLOCKS = 10_000;

    private final PlacementLoop loop;
    private final NamesystemLookup lookup;
    private final Explanations explanations;
    private final CallerRights rights;
    private final @Nullable Journal journal;
    private final LongSupplier wallMs;
    private final boolean hasPeers;

    /** @param hasPeers whether other NameNodes of the namespace order moves while they are active */
    FileHistory(
            PlacementLoop loop,
            NamesystemLookup lookup,
            Explanations explanations,
            CallerRights rights,
            @Nullable Journal journal,
            LongSupplier wallMs,
            boolean hasPeers) {
        this.loop = loop;
        this.lookup = lookup;
        this.explanations = explanations;
        this.rights = rights;
        this.journal = journal;
        this.wallMs = wallMs;
        this.hasPeers = hasPeers;
    }

    HistoryResponseProto answer(HistoryRequestProto request)
            throws IOException, TimeoutException, InterruptedException {
        int most = Math.max(1, Math.min(MOST_MOVES, request.getLimit()));
        Target target = explanations.target(request.getTarget());
        HistoryResponseProto.Builder response = HistoryResponseProto.newBuilder();
        List<Long> blocks;
        if (target.file() == null) {
            blocks = List.of(target.block().orElseThrow());
        } else {
            response.setPath(target.file().path()).setInode(target.file().inode());
            blocks = target.block().isPresent()
                    ? List.of(target.block().getAsLong())
                    : lookup.blockIds(target.file().inode(), MOST_BLOCKS);
            if (target.file().blocks() > MOST_BLOCKS) {
                note(response, "of the first " + MOST_BLOCKS + " blocks; name another block to see its moves");
            }
        }
        if (hasPeers) {
            note(
                    response,
                    "what this NameNode ordered; moves that another one ordered while it was active are in that one's journal");
        }
        Reader reader = explanations.reader(rights.mayChange());
        if (journal == null) {
            note(
                    response,
                    "the latest moves alone: this NameNode keeps no journal; set "
                            + TerraceSettings.PLACEMENT_JOURNAL_DIR.key() + " in its configuration");
            return latest(response, blocks, most, reader).build();
        }
        List<MoveRecord> found;
        try {
            found = journal.moves(blocks, most);
        } catch (IOException e) {
            note(response, "the latest moves alone: " + e.getMessage());
            return latest(response, blocks, most, reader).build();
        }
        long nowMs = wallMs.getAsLong();
        found.forEach(move -> response.addMoves(past(move, nowMs, reader)));
        return response.build();
    }

    private static void note(HistoryResponseProto.Builder response, String text) {
        response.setNote(response.hasNote() ? response.getNote() + "; " + text : text);
    }

    private HistoryResponseProto.Builder latest(
            HistoryResponseProto.Builder response, List<Long> blocks, int most, Reader reader)
            throws TimeoutException, InterruptedException {
        Set<Long> wanted = new HashSet<>(blocks);
        List<Move> moves = new ArrayList<>();
        for (Move move : loop.ask(placement -> placement.reports().latestMoves(Integer.MAX_VALUE))) {
            if (wanted.contains(move.block().id()) && moves.size() < most) {
                moves.add(move);
            }
        }
        moves.forEach(move -> response.addMoves(AdminCodec.withBlock(move, reader)));
        return response;
    }

    private static MoveProto past(MoveRecord move, long nowMs, Reader reader) {
        MoveProto.Builder proto = MoveProto.newBuilder()
                .setId(move.id())
                .setKind(ProtoConverter.kind(move.up()))
                .setNode(move.node())
                .setCause(move.cause())
                .setReason(reader.shown(move.reason()))
                .setState(move.outcome())
                .setMessage(reader.message(move.message()))
                .setWishedAgoMs(Math.max(0, nowMs - move.requestedMs()))
                .setEndedAgoMs(Math.max(0, nowMs - move.endedMs()))
                .setBytesMoved(move.bytesMoved())
                .setBlock(ProtoConverter.block(move.block()));
        if (move.from() != null && move.to() != null) {
            proto.setFrom(ProtoConverter.tier(move.from())).setTo(ProtoConverter.tier(move.to()));
        }
        return proto.build();
    }
}
