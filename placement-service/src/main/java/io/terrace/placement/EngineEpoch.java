package io.terrace.placement;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessListener;
import io.terrace.placement.control.ControlTrial;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Resize;
import io.terrace.placement.move.FirstReads;
import io.terrace.placement.move.HeldBlocks;
import io.terrace.placement.move.LeavingCopies;
import io.terrace.placement.move.MoveDispatcher;
import io.terrace.placement.move.MoveExaminer;
import io.terrace.placement.move.MovePlanner;
import io.terrace.placement.move.OperatorMoves;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.move.WrittenBlocks;
import io.terrace.placement.policy.ActivePolicy;
import io.terrace.placement.policy.PolicySwitch;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policy.RuleEvaluator.Breach;
import io.terrace.placement.policy.WriteThroughHints;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.placement.volume.VolumePlacement;
import io.terrace.protocol.MoveOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One epoch of the {@link PlacementEngine}: the cluster as its heartbeats show it, and the steps from a heartbeat to
 * orders. Only heat and what DataNodes said of themselves outlive it ({@link #successor}). Owned by the engine's thread.
 */
final class EngineEpoch {

    /** Ids of changes of size differ between epochs. */
    private static final int RESIZE_BITS = 20;

    private final PlacementSettings settings;
    private final NamespaceView view;
    private final ActivePolicy activePolicy;
    private final HomeChoice.Factory homes;
    private final ClusterState clusterState;
    private final HomeChoice homeChoice;
    private final MoveExaminer examiner;
    private final MoveDispatcher dispatcher;
    private final PinnedBlocks pinnedBlocks;
    private final HeldBlocks heldBlocks;
    private final WrittenBlocks writtenBlocks;
    private final FirstReads firstReads;
    private final LeavingCopies leavingCopies;
    private final VolumePlacement volumes;
    private RuleEvaluator ruleEvaluator;
    private WriteThroughHints writeThroughHints;
    private final ReportValidator reportValidator;
    private final HeartbeatProcessor heartbeatProcessor;
    private HeatProcessor heatProcessor;
    private MovePlanner planner;
    private long tickedMs = Long.MIN_VALUE;
    private long annotationsVersion;
    private long lastResize;
    private final NodeRound nodeRound = new NodeRound();

    EngineEpoch(
            PlacementSettings settings,
            NamespaceView view,
            ActivePolicy activePolicy,
            HomeChoice.Factory homes,
            MetricRegistry metricRegistry) {
        this(
                settings,
                view,
                activePolicy,
                homes,
                new ClusterState(
                        settings.moves(),
                        settings.heat(),
                        metricRegistry,
                        new ControlTrial(settings.control(), metricRegistry)));
    }

    private EngineEpoch(
            PlacementSettings settings,
            NamespaceView view,
            ActivePolicy activePolicy,
            HomeChoice.Factory homes,
            ClusterState clusterState) {
        this.settings = settings;
        this.view = view;
        this.activePolicy = activePolicy;
        this.homes = homes;
        this.clusterState = clusterState;
        homeChoice = homes.make(clusterState);
        examiner = new MoveExaminer(clusterState, view, homeChoice);
        dispatcher = new MoveDispatcher(clusterState, examiner);
        writtenBlocks = new WrittenBlocks(clusterState, view);
        firstReads = new FirstReads(settings.firstReads(), clusterState, view, homeChoice, writtenBlocks);
        ruleEvaluator = new RuleEvaluator(clusterState, view, activePolicy.spec());
        writeThroughHints = new WriteThroughHints(view, activePolicy.spec());
        reportValidator = new ReportValidator(clusterState, view);
        heartbeatProcessor = new HeartbeatProcessor(clusterState, reportValidator);
        heatProcessor = new HeatProcessor(
                clusterState, view, ruleEvaluator, reportValidator, writtenBlocks, firstReads, homeChoice);
        planner = new MovePlanner(clusterState, ruleEvaluator);
        pinnedBlocks = new PinnedBlocks(clusterState, view, ruleEvaluator);
        heldBlocks = new HeldBlocks(clusterState);
        leavingCopies = new LeavingCopies(clusterState, view);
        volumes = new VolumePlacement(clusterState, view, activePolicy.spec());
        annotationsVersion = view.annotationsVersion();
    }

    /** The next epoch, which knows the heat and the DataNodes of this one, but no copy and no move. */
    EngineEpoch successor() {
        return new EngineEpoch(settings, view, activePolicy, homes, clusterState.successor(activePolicy::make));
    }

    /** The next epoch after a failure, which knows no more than which heartbeats of DataNodes were taken. */
    EngineEpoch afterFailure() {
        EngineEpoch next = new EngineEpoch(settings, view, activePolicy, homes, clusterState.metricRegistry());
        next.clusterState.goesOnAfter(clusterState);
        return next;
    }

    /** The policies learn the heat that is known. */
    void learnHeat(long nowMs) {
        if (clusterState.heat().size() > 0) {
            new PolicySwitch(clusterState, activePolicy).relearn(nowMs);
            followPolicy(nowMs);
        }
    }

    /** The policy of its home learns the heat of a block that became known again. */
    void learnHeat(long nowMs, BlockHeat heat) {
        new PolicySwitch(clusterState, activePolicy).learn(nowMs, heat);
    }

    ClusterState clusterState() {
        return clusterState;
    }

    /** If another policy is in force by now, other rules hold. */
    void followPolicy(long nowMs) {
        if (!activePolicy.spec().equals(volumes.spec())) {
            ruleEvaluator = new RuleEvaluator(clusterState, view, activePolicy.spec());
            writeThroughHints = new WriteThroughHints(view, activePolicy.spec());
            heatProcessor = new HeatProcessor(
                    clusterState, view, ruleEvaluator, reportValidator, writtenBlocks, firstReads, homeChoice);
            planner = new MovePlanner(clusterState, ruleEvaluator);
            pinnedBlocks.rules(ruleEvaluator);
            volumes.rules(nowMs, activePolicy.spec());
        }
    }

    /** Looks again at what is known where annotations changed. */
    private void noticeAnnotations(long nowMs) {
        long version = view.annotationsVersion();
        if (version != annotationsVersion) {
            annotationsVersion = version;
            ruleEvaluator.annotationsChanged(nowMs);
            volumes.annotationsChanged(nowMs);
        }
    }

    /** Asks a DataNode for another size of its memory; null, or why not. */
    @Nullable
    String resize(long epoch, String uuid, long capacityBytes) {
        DataNodeState node = clusterState.nodes().get(uuid);
        if (node == null || !node.isLive()) {
            return "the DataNode does not report";
        }
        if (node.residents().reservedBytes() > capacityBytes) {
            return "pins and orders reserve " + node.residents().reservedBytes()
                    + " bytes of its memory: unpin something";
        }
        node.resize(new Resize((epoch << RESIZE_BITS) + ++lastResize, capacityBytes));
        return null;
    }

    void operatorStateChanged() {
        pinnedBlocks.changed();
    }

    /** The DataNode of that UUID, known from now on; null when it is not known and there are too many. */
    @Nullable
    DataNodeState node(long nowMs, String uuid) {
        clusterState.hears(nowMs);
        DataNodeState node = clusterState.nodes().get(uuid);
        if (node == null && clusterState.nodes().size() < PlacementEngine.MOST_NODES) {
            node = new DataNodeState(uuid, settings.moves(), activePolicy.make(), nowMs);
            clusterState.add(node);
            followPolicy(nowMs);
        }
        return node;
    }

    /**
     * Takes what a heartbeat reports: results of moves, memory copies, accesses, offers.
     *
     * @return how many of its offers were looked at
     */
    int take(long nowMs, long epoch, DataNodeState node, Heartbeat heartbeat, AccessListener accesses) {
        if (node.note(nowMs, heartbeat)) {
            dispatcher.abandon(nowMs, node, "the DataNode was restarted");
            volumes.abandon(nowMs, node, "the DataNode was restarted");
            for (Resident resident : List.copyOf(node.residents().all())) {
                node.residents().remove(resident.block.id());
                clusterState
                        .moveTracker()
                        .correct(nowMs, node, resident.block, node.layout().base());
            }
        }
        boolean answerLost = heartbeat.full() && !node.session().askedForFull();
        heartbeatProcessor.results(nowMs, epoch, node, volumes.results(nowMs, epoch, node, heartbeat.results()));
        if (answerLost) {
            // A DataNode that sends a full report unasked did not get its last answer, nor the orders in it.
            dispatcher.sendAgain(node);
            volumes.sendAgain(node);
        }
        heartbeatProcessor.residency(nowMs, node, heartbeat.residency(), heartbeat.full());
        accesses.accesses(heartbeat);
        clusterState.controlTrial().read(heartbeat.readTimes());
        heatProcessor.take(nowMs, node, heartbeat.heat());
        volumes.accessed(nowMs, heartbeat.heat());
        return volumes.offered(nowMs, node, heartbeat.offers());
    }

    /** Plans the moves that policies requested, and gives a DataNode its orders if moves are allowed. */
    List<MoveOrder> decide(long nowMs, DataNodeState node, boolean mayMove) {
        planEverywhere(nowMs, mayMove);
        if (!mayMove) {
            return List.of();
        }
        examiner.examine(nowMs, node);
        List<MoveOrder> toDo = new ArrayList<>(dispatcher.dispatch(nowMs, node));
        toDo.addAll(volumes.dispatch(nowMs, node));
        planner.plan(nowMs, node, true);
        if (!isSmall()) {
            examiner.answered(nowMs, node, heartbeatIntervalMs());
        }
        return toDo;
    }

    /** Counts the heat of a heartbeat while another NameNode decides. */
    void count(long nowMs, DataNodeState node, Heartbeat heartbeat) {
        node.note(nowMs, heartbeat);
        heatProcessor.count(nowMs, node, heartbeat.heat());
    }

    /** As {@link #turn} while another NameNode decides. */
    void idle(long nowMs) {
        forget(nodesOfTurn().stream().filter(node -> isForgotten(nowMs, node)).toList());
    }

    private boolean isForgotten(long nowMs, DataNodeState node) {
        return nowMs - node.lastMs() > settings.heartbeats().forgetMs();
    }

    private void planEverywhere(long nowMs, boolean mayMove) {
        for (DataNodeState node : clusterState.takeRequesting()) {
            if (!node.requests().isEmpty()) {
                planner.plan(nowMs, node, mayMove);
            }
        }
    }

    /** The DataNodes to look at now. */
    private List<DataNodeState> nodesOfTurn() {
        return nodeRound.next(clusterState.nodes().values());
    }

    private boolean isSmall() {
        return clusterState.nodes().size() <= NodeRound.AT_ONCE;
    }

    private NodeSums sums() {
        return nodeRound.sums(clusterState.nodes().values());
    }

    private int movers(List<DataNodeState> nodes) {
        return isSmall()
                ? (int) nodes.stream().filter(DataNodeState::takesVolumeMoves).count()
                : sums().movers();
    }

    int heartbeatIntervalMs() {
        return settings.heartbeats().intervalMs(clusterState.nodes().size());
    }

    /** @return DataNodes of the cluster */
    int turn(long nowMs, OperatorState operatorState) {
        List<DataNodeState> nodes = nodesOfTurn();
        boolean tick = tickedMs == Long.MIN_VALUE || nowMs - tickedMs >= 1000;
        if (tick) {
            tickedMs = nowMs;
            noticeAnnotations(nowMs);
            writeThroughHints.turn(nowMs);
            clusterState.controlTrial().turn(nowMs);
        }
        // Together in a small cluster, as one who looks at it expects.
        List<DataNodeState> ticking = isSmall()
                ? tick ? nodes : List.of()
                : nodes.stream().filter(node -> node.isTickDue(nowMs)).toList();
        leavingCopies.look(ticking);
        if (operatorState.mayMove()) {
            pinnedBlocks.turn(nowMs, operatorState);
            heldBlocks.turn(nowMs, nodes, ruleEvaluator);
            firstReads.turn(nowMs, () -> sums().memoryBytes());
            writtenBlocks.turn(nowMs, planner);
            leavingCopies.turn(nowMs, planner);
            for (Breach breach : ruleEvaluator.sweep(nowMs)) {
                String why = breach.ruleDecision().sentence();
                clusterState
                        .moveTracker()
                        .dropCopy(nowMs, breach.node(), breach.block().id(), Cause.RULE, why);
            }
            volumes.turn(nowMs, movers(nodes));
        }
        checkNodes(nowMs, nodes);
        ticking.forEach(node -> node.tick(nowMs));
        planEverywhere(nowMs, operatorState.mayMove());
        if (operatorState.mayMove()) {
            examiner.lookAhead(nowMs);
        }
        return clusterState.nodes().size();
    }

    /** Notices DataNodes that went silent and orders without a result. */
    private void checkNodes(long nowMs, List<DataNodeState> nodes) {
        long expiryMs = settings.heartbeats().expiryMs(clusterState.nodes().size());
        List<DataNodeState> gone = new ArrayList<>();
        for (DataNodeState node : nodes) {
            long silentMs = nowMs - node.lastMs();
            if (node.isLive() && silentMs > expiryMs) {
                node.expire();
                String why = "the DataNode was silent for " + silentMs / 1000 + " s";
                dispatcher.abandon(nowMs, node, why);
                volumes.abandon(nowMs, node, why);
            }
            if (isForgotten(nowMs, node)) {
                gone.add(node);
            }
            dispatcher.expire(nowMs, node);
            volumes.expire(nowMs, node);
        }
        forget(gone);
    }

    private void forget(List<DataNodeState> gone) {
        gone.forEach(clusterState::remove);
        clusterState.forgetGone();
    }

    WriteThroughHints writeThroughHints() {
        return writeThroughHints;
    }

    VolumePlacement volumes() {
        return volumes;
    }

    OperatorMoves operatorMoves(@Nullable String stopped) {
        return new OperatorMoves(clusterState, planner, stopped);
    }

    PlacementReports reports() {
        return new PlacementReports(clusterState, pinnedBlocks, ruleEvaluator, volumes);
    }

    /** @param epoch 0 while the engine is inactive */
    EngineStatus status(long nowMs, boolean active, long epoch, OperatorState operatorState) {
        NodeSums sums = sums();
        return new EngineStatus(
                active,
                epoch,
                operatorState,
                activePolicy.inForce().spec().policy(),
                clusterState.nodes().size(),
                sums.silent(),
                clusterState.heat().size(),
                sums.resident(),
                pinnedBlocks.size(),
                pinnedBlocks.leftOut(),
                sums.waiting(),
                sums.inFlight(),
                sums.volumesWaiting(),
                sums.volumesInFlight(),
                clusterState.heat().memoryBytes() + sums.policyBytes(),
                clusterState.controlTrial().left(nowMs).size(),
                sums.releases(),
                view.stopsVolumeMoves());
    }
}
