package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.BlockFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.ReplicaFacts;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Resolve;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Carries out the changing verbs of {@code placementctl}; whoever calls has checked the caller's rights. */
final class AdminChanges {

    /** Blocks of one file that one call promotes or demotes. */
    static final int MOST_BLOCKS = 10_000;

    /** Blocks per turn on the loop's thread, so that heartbeats get in between. */
    private static final int BATCH = 256;

    private final PlacementLoop loop;
    private final NamesystemView view;
    private final NamesystemLookup lookup;
    private final OperatorStateUpdater updater;
    private final PinChanges pins;
    private final ReleaseChanges releases;
    private final PolicyChanges policies;
    private final ResizeChanges resizes;

    AdminChanges(
            PlacementLoop loop,
            NamesystemView view,
            NamesystemLookup lookup,
            OperatorStateUpdater updater,
            PolicyChanges policies) {
        this.policies = policies;
        this.loop = loop;
        this.view = view;
        this.lookup = lookup;
        this.updater = updater;
        this.pins = new PinChanges(lookup, updater);
        this.releases = new ReleaseChanges(loop, view, lookup);
        this.resizes = new ResizeChanges(loop);
    }

    ChangeResponseProto carryOut(ChangeRequestProto request, String user)
            throws IOException, TimeoutException, InterruptedException {
        return switch (request.getVerb()) {
            case PROMOTE_NOW -> promote(user, request.getTarget(), request.hasNode() ? request.getNode() : null);
            case DEMOTE_NOW -> demote(user, request.getTarget());
            case PIN -> pins.pin(request, user);
            case UNPIN -> pins.unpin(request.getTarget());
            case RELEASE -> releases.release(request.getTarget(), request.getDryRun());
            case RESIZE -> resizes.resize(request, request.hasNode() ? List.of(node(request.getNode())) : live());
            case PAUSE -> changeState(state -> state.withPaused(by(user)), Resolve.IF_READ);
            case RESUME -> changeState(state -> state.withPaused(null), Resolve.ALWAYS);
            case OFF -> changeState(state -> state.withOff(by(user)), Resolve.ALWAYS);
            case ON -> changeState(state -> state.withOff(null), Resolve.ALWAYS);
            case APPLY_POLICY, ROLLBACK_POLICY, REHEARSE_POLICY, END_REHEARSAL -> policies.carryOut(request, user);
        };
    }

    private static Order by(String user) {
        return new Order(user, System.currentTimeMillis());
    }

    private ChangeResponseProto changeState(UnaryOperator<OperatorState> change, Resolve resolve)
            throws IOException, TimeoutException, InterruptedException {
        String error = updater.change(change, resolve).error();
        ChangeResponseProto.Builder response =
                ChangeResponseProto.newBuilder().setAccepted(1).setRefused(0);
        if (error != null) {
            response.addMessages(error);
        }
        return response.build();
    }

    private ChangeResponseProto promote(String user, String target, @Nullable String node)
            throws IOException, TimeoutException, InterruptedException {
        String uuid = node == null ? null : node(node).uuid();
        Refusals refusals = new Refusals();
        List<Long> moves = new ArrayList<>();
        List<Located> blocks = located(AdminTarget.parse(target), refusals);
        for (int from = 0; from < blocks.size(); from += BATCH) {
            List<Located> batch = blocks.subList(from, Math.min(blocks.size(), from + BATCH));
            loop.changeInTime(placement -> {
                for (Located located : batch) {
                    Move move = placement.operator().promote(loop.nowMs(), user, located, uuid, refusals);
                    if (move != null) {
                        moves.add(move.id());
                    }
                }
                return moves;
            });
        }
        return response(moves, refusals);
    }

    private ChangeResponseProto demote(String user, String target)
            throws IOException, TimeoutException, InterruptedException {
        AdminTarget parsed = AdminTarget.parse(target);
        Refusals refusals = new Refusals();
        List<StampedBlock> blocks = parsed.path() == null
                ? List.of(new StampedBlock(parsed.blockId(), 0, 0))
                : located(parsed, refusals).stream().map(Located::block).toList();
        List<Long> moves = new ArrayList<>();
        for (int from = 0; from < blocks.size(); from += BATCH) {
            List<StampedBlock> batch = blocks.subList(from, Math.min(blocks.size(), from + BATCH));
            loop.changeInTime(placement -> {
                for (StampedBlock block : batch) {
                    placement
                            .operator()
                            .demote(loop.nowMs(), user, block, refusals)
                            .forEach(move -> moves.add(move.id()));
                }
                return moves;
            });
        }
        return response(moves, refusals);
    }

    private List<Located> located(AdminTarget target, Refusals refusals) throws IOException {
        if (target.path() != null) {
            FileFacts file = lookup.file(target.path());
            if (file.striped()) {
                throw new IllegalArgumentException(file.path() + " is erasure-coded; its blocks are not promoted");
            }
            tellOfRest(file.blocks(), refusals);
            return view.blocksOf(List.of(file.inode()), MOST_BLOCKS);
        }
        BlockFacts facts = lookup.block(target.blockId());
        if (facts.state().equals("gone")) {
            throw new FileNotFoundException("there is no block " + target.blockId());
        }
        if (!facts.state().equals("complete")) {
            refusals.add(facts.block(), "it is " + facts.state().replace('_', ' '));
            return List.of();
        }
        return List.of(new Located(
                facts.block(),
                facts.inode(),
                facts.replicas().stream().map(ReplicaFacts::node).toList()));
    }

    /** @param blocks of the file */
    static void tellOfRest(int blocks, Refusals refusals) {
        int rest = blocks - MOST_BLOCKS;
        if (rest > 0) {
            refusals.addBeyond(
                    rest,
                    "only the first " + MOST_BLOCKS + " of the file's " + blocks
                            + " blocks are taken; name others by their ids (hdfs fsck -files -blocks), or pin the file to have"
                            + " all of it in memory");
        }
    }

    private List<NodeReport> nodes() throws TimeoutException, InterruptedException {
        return loop.ask(placement -> placement.reports().nodes(loop.nowMs()));
    }

    private List<NodeReport> live() throws TimeoutException, InterruptedException {
        return nodes().stream().filter(NodeReport::live).toList();
    }

    private NodeReport node(String node) throws TimeoutException, InterruptedException {
        return named(nodes(), node);
    }

    /** The DataNode of that UUID or name; one that came back with another UUID goes before what is left of it by its name. */
    static NodeReport named(List<NodeReport> nodes, String node) {
        return nodes.stream()
                .filter(report -> report.uuid().equals(node) || report.name().equals(node))
                .min(Comparator.comparing(report -> !report.live()))
                .orElseThrow(() -> new IllegalArgumentException("no DataNode " + node + " reports; there are "
                        + nodes.stream().map(NodeReport::name).limit(20).toList()));
    }

    static ChangeResponseProto response(List<Long> moves, Refusals refusals) {
        return ChangeResponseProto.newBuilder()
                .setAccepted(moves.size())
                .setRefused(refusals.count())
                .addAllMessages(refusals.lines())
                .addAllMoveIds(moves)
                .setInMemory(refusals.inMemory())
                .addAllOpenMoveIds(refusals.openMoveIds())
                .setRefusalMessages(refusals.reasons())
                .build();
    }
}
