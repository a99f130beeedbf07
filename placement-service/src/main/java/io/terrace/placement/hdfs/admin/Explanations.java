package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.explain.BlockSituation;
import io.terrace.placement.explain.FilePin;
import io.terrace.placement.explain.FileSituation;
import io.terrace.placement.explain.OpenFile;
import io.terrace.placement.explain.OpenFile.Writer;
import io.terrace.placement.explain.Verdicts;
import io.terrace.placement.hdfs.admin.AdminCodec.Reader;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.Annotated;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.BlockFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.ReplicaFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.Writing;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.write.WriteSpeeds;
import io.terrace.policy.api.Explanation;
import io.terrace.protocol.proto.AdminProtos.AnnotationsRequestProto;
import io.terrace.protocol.proto.AdminProtos.AnnotationsResponseProto;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * Answers where the blocks of a file, or one block, are and why, and which replicas move between volumes. Thread-safe.
 */
final class Explanations {

    private static final int MOST_EXPLAINED = 100;
    /** The latest moves of a block by which it is seen that it came and went. */
    private static final int MOVES_READ = 64;

    private static final int MOST_RIVALS = 1000;
    private static final int MOST_MOVES = 1000;

    private final PlacementLoop loop;
    private final NamesystemLookup lookup;
    private final NamesystemView view;
    private final CallerRights rights;
    private final FileSituations situations;
    private final WriteSpeeds speeds;

    /** What the loop knows at one moment. */
    record Asked(
            Reader reader,
            List<BlockReport> reports,
            OperatorState state,
            PolicySpec spec,
            int pinningRule,
            long rulePinnedBytes) {}

    Explanations(
            PlacementLoop loop,
            NamesystemLookup lookup,
            NamesystemView view,
            CallerRights rights,
            MoveSettings settings,
            WriteSpeeds speeds) {
        this.loop = loop;
        this.lookup = lookup;
        this.view = view;
        this.rights = rights;
        this.situations = new FileSituations(settings);
        this.speeds = speeds;
    }

    MovesResponseProto moves(MovesRequestProto request) throws IOException, TimeoutException, InterruptedException {
        int most = Math.max(1, Math.min(MOST_MOVES, request.getCount()));
        boolean full = rights.mayChange();
        if (request.getIdsCount() > MOST_MOVES) {
            throw new IllegalArgumentException("at most " + MOST_MOVES + " moves are told of at a time");
        }
        if (request.getIdsCount() > 0 && !full) {
            throw new AccessControlException("moves are told of by their ids only to those who may change placement");
        }
        String stopped = view.stopsVolumeMoves();
        return loop.ask(placement -> {
            EngineStatus status = placement.engineStatus();
            MovesResponseProto.Builder response = MovesResponseProto.newBuilder()
                    .setInFlight(status.volumeMovesInFlight())
                    .setWaiting(status.volumeMovesWaiting());
            Reader reader = reader(placement, full);
            List<Move> moves = request.getIdsCount() > 0
                    ? placement.reports().moves(Set.copyOf(request.getIdsList()))
                    : placement.reports().volumeMoves(most);
            moves.forEach(move -> response.addMoves(AdminCodec.listed(move, reader)));
            if (!placement.operatorState().mayMove()) {
                response.setStopped("moves are paused or Terrace is off");
            } else if (stopped != null) {
                response.setStopped(stopped);
            }
            return response.build();
        });
    }

    AnnotationsResponseProto annotations(AnnotationsRequestProto request)
            throws IOException, TimeoutException, InterruptedException {
        AdminTarget target = AdminTarget.parse(request.getPath());
        if (target.path() == null) {
            throw new IllegalArgumentException("'" + request.getPath() + "' is no absolute path");
        }
        rights.checkRead(target.path());
        Annotated found = lookup.annotated(target.path());
        // Another file may be there by now.
        if (!rights.isSuperuser() && !rights.mayRead(List.of(found.inode())).get(0)) {
            throw new AccessControlException(target.path() + " is of something that you may not read");
        }
        PolicySpec spec = loop.ask(placement -> placement.policyInForce().spec());
        AnnotatedRule resolved = spec.explain(found.inode().path(), found.annotations());
        AnnotationsResponseProto.Builder response = AnnotationsResponseProto.newBuilder()
                .setPath(found.inode().path())
                .addAllWords(AdminCodec.words(resolved))
                .addAllIgnored(AdminCodec.ignored(resolved, rights.mayChange()));
        if (spec.rules().isEmpty()) {
            response.setNote(
                    "annotations have no effect, since the policy in force has no rules and no path is looked up;"
                            + " give the policy file a rule, e.g. path: /** with annotations: []");
        }
        return response.build();
    }

    ExplainResponseProto explain(ExplainRequestProto request)
            throws IOException, TimeoutException, InterruptedException {
        int most = Math.max(1, Math.min(MOST_EXPLAINED, request.getBlocks()));
        Target target = target(request.getTarget());
        FileFacts file = target.file();
        return explained(
                file,
                file == null || target.block().isPresent()
                        ? List.of(lookup.block(target.block().orElseThrow()))
                        : lookup.blocks(file.inode(), most));
    }

    /**
     * What the caller asks about and may read.
     *
     * @param file null where it is gone
     * @param block empty for all blocks of the file; of an erasure-coded file the id is negative
     */
    record Target(@Nullable FileFacts file, OptionalLong block) {}

    /** @throws IOException when it is not there, or the caller may not know of it */
    Target target(String named) throws IOException {
        AdminTarget target = AdminTarget.parse(named);
        return target.path() == null
                ? new Target(fileOf(target.blockId()), OptionalLong.of(target.blockId()))
                : new Target(file(target.path()), OptionalLong.empty());
    }

    /** Who may not read the file gets what there is to say of one that is missing, down to the trace of the stack. */
    private FileFacts file(String path) throws IOException {
        FileFacts file = readable(path);
        if (file == null) {
            throw new FileNotFoundException("there is no file " + path + " that you may read as it is now");
        }
        return file;
    }

    /** Null if there is no such file, or the caller may not read it. */
    private @Nullable FileFacts readable(String path) throws IOException {
        try {
            rights.checkRead(path);
            FileFacts file = lookup.file(path);
            // The path may lead through a snapshot; the answer is about the file as it is now, at its present path.
            boolean may = rights.isSuperuser()
                    || rights.mayRead(List.of(new Named(file.inode(), file.path())))
                            .get(0);
            return may ? file : null;
        } catch (AccessControlException | FileNotFoundException e) {
            return null;
        }
    }

    private @Nullable FileFacts fileOf(long blockId) throws IOException {
        BlockFacts facts = lookup.block(blockId);
        FileFacts file = facts.state().equals("gone") ? null : lookup.file(facts.inode());
        // Ids are easily guessed, so the answer is the same for a block that never existed and for one of an unreadable
        // file.
        if (file == null ? !rights.isSuperuser() : !rights.mayRead(new Named(file.inode(), file.path()))) {
            throw new FileNotFoundException("there is no block " + blockId + " that you may know of");
        }
        return file;
    }

    private ExplainResponseProto explained(@Nullable FileFacts file, List<BlockFacts> blocks)
            throws IOException, TimeoutException, InterruptedException {
        boolean full = rights.mayChange();
        boolean superuser = rights.isSuperuser();
        Map<Long, Home> homes = homes(blocks);
        Writing writing = file == null || !file.open() ? null : lookup.writing(file.inode());
        Asked asked = loop.ask(placement -> ask(placement, file, blocks, homes, full));
        // Names are looked up off the loop's thread. The reports are not made again: they go through all DataNodes.
        Map<Long, String> rivals = readablePaths(rivals(asked.reports));
        return loop.ask(placement -> {
            FileSituation situation = situations.of(file, asked, full, rivals);
            ExplainResponseProto.Builder response = ExplainResponseProto.newBuilder()
                    .setPinned(situation.pin() != null && situation.pin().kind() != FilePin.Kind.RULE);
            if (file != null) {
                describe(response, file, asked, situation);
            }
            if (writing != null) {
                response.setWriting(AdminCodec.writing(open(writing, asked.reader, superuser)));
            }
            String stopped = placement.volumeMovesStopped();
            if (stopped != null) {
                response.setVolumeMovesStopped(stopped);
            }
            for (int i = 0; i < blocks.size(); i++) {
                BlockReport report = asked.reports.get(i);
                Home home = homes.get(blocks.get(i).block().id());
                String satisfying = home == null ? null : placement.satisfying(asked.reader.nowMs(), home);
                BlockReportProto.Builder block = AdminCodec.block(blocks.get(i), report, asked.reader).toBuilder();
                String offPolicy = home == null || !block.hasRange() ? null : placement.offPolicy(home);
                if (satisfying != null) {
                    block.setRange(satisfying);
                } else if (offPolicy != null) {
                    block.setRange(block.getRange() + "; " + offPolicy);
                }
                BlockSituation of = AdminCodec.situation(blocks.get(i), report, asked.reader, situation, satisfying);
                response.addBlocks(AdminCodec.verdict(block, Verdicts.of(of, asked.reader.names())));
            }
            return response.build();
        });
    }

    private static void describe(
            ExplainResponseProto.Builder response, FileFacts file, Asked asked, FileSituation situation) {
        response.setPath(file.path())
                .setInode(file.inode())
                .setLengthBytes(file.lengthBytes())
                .setBlockCount(file.blocks())
                .setStoragePolicy(file.storagePolicy());
        if (situation.pin() != null) {
            response.setPin(situation.pin().line());
        }
        if (!asked.spec.rules().isEmpty() && !file.annotations().isEmpty()) {
            AnnotatedRule resolved = asked.spec.explain(file.path(), file.annotations());
            response.addAllAnnotations(AdminCodec.annotations(resolved))
                    .addAllIgnored(AdminCodec.ignored(resolved, asked.reader.full()));
        }
    }

    private OpenFile open(Writing writing, Reader reader, boolean superuser) {
        List<OpenFile.Speed> told = speeds.of(writing.host()).stream()
                .map(speed -> new OpenFile.Speed(
                        reader.names().getOrDefault(speed.node(), speed.node()),
                        speed.bytesPerSecond(),
                        speeds.ageMs(speed)))
                .toList();
        Writer writer = superuser ? new Writer(writing.client(), writing.host()) : null;
        return new OpenFile(writer, writing.completeBlocks(), writing.openBlocks(), told);
    }

    private Asked ask(
            PlacementEngine placement,
            @Nullable FileFacts file,
            List<BlockFacts> blocks,
            Map<Long, Home> homes,
            boolean full) {
        int rule = file == null
                ? FileSituations.NO_RULE
                : placement.reports().rulePins().getOrDefault(file.inode(), FileSituations.NO_RULE);
        return new Asked(
                reader(placement, full),
                reports(placement, blocks, homes),
                placement.operatorState(),
                placement.policyInForce().spec(),
                rule,
                placement.reports().rulePinnedBytes(rule));
    }

    private List<BlockReport> reports(PlacementEngine placement, List<BlockFacts> blocks, Map<Long, Home> homes) {
        List<PlacementReports.Asked> asked = blocks.stream()
                .map(facts -> {
                    Set<String> holders =
                            facts.replicas().stream().map(ReplicaFacts::node).collect(Collectors.toSet());
                    Home home = homes.get(facts.block().id());
                    return new PlacementReports.Asked(facts.block().id(), holders, home == null ? null : home.placed());
                })
                .toList();
        return placement.reports().blocks(loop.nowMs(), asked, MOVES_READ);
    }

    /** The blocks that these are compared with or made room for. */
    private static List<Long> rivals(List<BlockReport> reports) {
        return reports.stream()
                .flatMap(report -> Stream.concat(
                        report.replicas().stream()
                                .map(ReplicaReport::why)
                                .filter(Objects::nonNull)
                                .map(Explanation::competitor),
                        report.lastMoves().stream().map(move -> move.occasion().roomFor())))
                .filter(id -> id >= 0)
                .distinct()
                .limit(MOST_RIVALS)
                .toList();
    }

    /** The files of these blocks, of those that the caller may read. */
    private Map<Long, String> readablePaths(List<Long> blocks) throws IOException {
        Map<Long, String> readable = new HashMap<>();
        for (int from = 0; from < blocks.size(); from += view.lockBlocks()) {
            List<Long> some = blocks.subList(from, Math.min(blocks.size(), from + view.lockBlocks()));
            List<@Nullable Named> names = view.names(some);
            List<Boolean> may =
                    rights.mayRead(names.stream().filter(Objects::nonNull).toList());
            int file = 0;
            for (int i = 0; i < some.size(); i++) {
                Named named = names.get(i);
                if (named != null && may.get(file++)) {
                    readable.put(some.get(i), named.path());
                }
            }
        }
        return readable;
    }

    /** Where storage policies want these blocks, of those that are there. */
    private Map<Long, Home> homes(List<BlockFacts> blocks) {
        Map<Long, Home> homes = new HashMap<>();
        for (int from = 0; from < blocks.size(); from += view.lockBlocks()) {
            List<Long> ids = blocks.subList(from, Math.min(blocks.size(), from + view.lockBlocks())).stream()
                    .map(facts -> facts.block().id())
                    .toList();
            for (Home home : view.homes(ids)) {
                if (home != null) {
                    homes.put(home.placed().block().id(), home);
                }
            }
        }
        return homes;
    }

    /** Who asks now. */
    Reader reader(boolean full) throws TimeoutException, InterruptedException {
        return loop.ask(placement -> reader(placement, full));
    }

    private Reader reader(PlacementEngine placement, boolean full) {
        return new Reader(loop.nowMs(), placement.reports().names(), full);
    }
}
