package io.terrace.placement;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessListener;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.heartbeat.HeartbeatAnswer.Order;
import io.terrace.placement.heartbeat.StampedBlock;
import io.terrace.placement.move.MoveDispatcher;
import io.terrace.placement.move.MovePlanner;
import io.terrace.placement.move.OperatorMoves;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policy.ActivePolicy;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.policy.PolicySwitch;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policy.RuleEvaluator.Breach;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.ResidentBlocks.Resident;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The placement engine: takes heartbeats of DataNodes, lets each DataNode's policy decide, keeps to the budget and answers
 * with orders. It has no thread of its own: {@link #heartbeat} and {@link #turn} are called with the time,
 * from one thread, by {@link PlacementAgent} in the NameNode and by simulations. Times are milliseconds on any clock
 * that does not run backwards.
 *
 * <p>It starts stood down, as on a standby NameNode; {@link #activate} begins an epoch with nothing known, which the
 * DataNodes' full reports then fill. The heat of an earlier epoch is lost.
 */
public final class PlacementEngine {

    /** DataNodes that are taken on; heartbeats of more are answered like a standby's. */
    public static final int MOST_NODES = 10_000;

    private final PlacementSettings settings;
    private final NamespaceView view;
    private final MetricRegistry metricRegistry;
    private final ActivePolicy activePolicy;
    private ClusterState clusterState;
    private RuleEvaluator ruleEvaluator;
    private HeartbeatProcessor heartbeatProcessor;
    private MovePlanner planner;
    private MoveDispatcher dispatcher;
    private PinnedBlocks pinnedBlocks;
    private @Nullable ShadowRun shadowRun;
    private AccessListener accesses = AccessListener.NONE;

    private long epoch;
    private boolean active;
    private OperatorState operatorState = OperatorState.initial();
    private long tickedMs = Long.MIN_VALUE;

    public PlacementEngine(PlacementSettings settings, NamespaceView view, MetricRegistry metricRegistry) {
        this(settings, view, metricRegistry, PolicySpec::make);
    }

    /** As above with another maker of policies. */
    public PlacementEngine(
            PlacementSettings settings, NamespaceView view, MetricRegistry metricRegistry, PolicyFactory maker) {
        this.settings = settings;
        this.view = view;
        this.metricRegistry = metricRegistry;
        this.activePolicy = new ActivePolicy(settings.policy(), maker, metricRegistry);
        this.clusterState = new ClusterState(settings.moves(), settings.heat(), metricRegistry);
        this.ruleEvaluator = new RuleEvaluator(clusterState, view, activePolicy.spec());
        this.heartbeatProcessor =
                new HeartbeatProcessor(clusterState, ruleEvaluator, new ReportValidator(clusterState, view));
        this.planner = new MovePlanner(clusterState, ruleEvaluator);
        this.dispatcher = new MoveDispatcher(clusterState, view);
        this.pinnedBlocks = new PinnedBlocks(clusterState, view, ruleEvaluator);
    }

    /** Who is told of all accesses from now on; to be set before the first heartbeat. */
    public void tellAccesses(AccessListener listener) {
        accesses = listener;
    }

    /**
     * This NameNode decides from now on.
     *
     * @param newEpoch higher than every earlier one of the cluster
     */
    public void activate(long newEpoch, OperatorState stored) {
        if (newEpoch <= epoch) {
            throw new IllegalArgumentException("epoch " + newEpoch + " does not follow " + epoch);
        }
        reset();
        epoch = newEpoch;
        operatorState = stored;
        active = true;
    }

    /** Another NameNode decides; everything known is dropped. */
    public void standDown() {
        active = false;
        reset();
    }

    private void reset() {
        clusterState = new ClusterState(settings.moves(), settings.heat(), metricRegistry);
        dispatcher = new MoveDispatcher(clusterState, view);
        pinnedBlocks = new PinnedBlocks(clusterState, view, ruleEvaluator);
        shadowRun = null;
        rulesChanged();
        tickedMs = Long.MIN_VALUE;
    }

    private void rulesChanged() {
        ruleEvaluator = new RuleEvaluator(clusterState, view, activePolicy.spec());
        heartbeatProcessor =
                new HeartbeatProcessor(clusterState, ruleEvaluator, new ReportValidator(clusterState, view));
        planner = new MovePlanner(clusterState, ruleEvaluator);
        pinnedBlocks.rules(ruleEvaluator);
    }

    /** What the operator wants has changed. */
    public void operatorState(OperatorState changed) {
        operatorState = changed;
        pinnedBlocks.changed();
    }

    /**
     * Another policy is to be in force from now on, on every DataNode. What is in memory stays there, and the policy in
     * force stays in force if the other one cannot be made.
     *
     * @return null, or why the policy stays as it is
     */
    public @Nullable String policy(long nowMs, PolicyChoice wanted) {
        if (wanted.equals(activePolicy.inForce()) && activePolicy.trouble() == null) {
            return null;
        }
        String refusal = new PolicySwitch(clusterState, activePolicy).to(nowMs, wanted);
        if (refusal == null) {
            rulesChanged();
        }
        return refusal;
    }

    /**
     * Lets a policy decide beside the one in force, on the same accesses; it moves nothing. One at a time.
     *
     * @param forMs it ends by itself after this
     * @return null, or why it cannot
     */
    public @Nullable String startShadowRun(long nowMs, PolicyChoice candidate, long forMs) {
        if (shadowRun != null && shadowRun.isRunning(nowMs)) {
            return "policy " + shadowRun.policy() + " is being rehearsed; end that first";
        }
        PlacementEngine shadowEngine = new PlacementEngine(settings, view, new MetricRegistry(), activePolicy.maker());
        try {
            String refusal = shadowEngine.policy(nowMs, candidate);
            if (refusal == null) {
                shadowEngine.activate(1, operatorState);
                shadowRun = new ShadowRun(nowMs, forMs, shadowEngine, clusterState, settings);
                refusal = shadowEngine.learn(nowMs, clusterState);
            }
            if (refusal != null) {
                shadowRun = null;
            }
            return refusal;
        } catch (RuntimeException | LinkageError e) {
            shadowRun = null;
            return "the policy failed: " + e;
        }
    }

    /** Ends the shadow run, if there is one; its result is kept until the next one. */
    public void endShadowRun(long nowMs) {
        if (shadowRun != null) {
            shadowRun.end(nowMs);
        }
    }

    /** The shadow run that runs or ran last in this epoch; null when none did. */
    public @Nullable ShadowRun shadowRun() {
        return shadowRun;
    }

    /** Takes over the heat of another loop's DataNodes and lets the policy know it, as a switch of policies does. */
    private @Nullable String learn(long nowMs, ClusterState other) {
        for (BlockHeat heat : other.heat().latest(PolicySwitch.REPLAYED_BLOCKS)) {
            clusterState.heat().put(heat.copied(node -> clusterState.nodes().get(node.uuid())));
        }
        return new PolicySwitch(clusterState, activePolicy).to(nowMs, activePolicy.inForce());
    }

    /** Something broke the loop; if it was the policy, another one takes its place, which is what is answered. */
    boolean distrustPolicy(Throwable e) {
        return activePolicy.distrust(e);
    }

    public PolicyChoice policyInForce() {
        return activePolicy.inForce();
    }

    /** Why what is wanted is not in force; null when it is. */
    public @Nullable String policyTrouble() {
        return activePolicy.trouble();
    }

    /** Takes a heartbeat, its heat within the quota of its DataNode, and says what the DataNode is to do. */
    public HeartbeatAnswer heartbeat(long nowMs, Heartbeat said) {
        metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS);
        if (!active) {
            return HeartbeatAnswer.standby(settings.heartbeats().intervalMs());
        }
        DataNodeState node = clusterState.nodes().get(said.node());
        if (node == null) {
            if (clusterState.nodes().size() >= MOST_NODES) {
                return HeartbeatAnswer.standby(settings.heartbeats().intervalMs() * 40);
            }
            node = new DataNodeState(said.node(), settings.moves(), activePolicy.make(), nowMs);
            clusterState.nodes().put(said.node(), node);
        }
        if (node.session().isOfEndedProcess(said)) {
            metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS_AGAIN);
            return HeartbeatAnswer.standby(settings.heartbeats().intervalMs());
        }
        HeartbeatAnswer again = node.session().answerAgain(said);
        if (again != null) {
            metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS_AGAIN);
            return again;
        }
        Heartbeat heartbeat = said.withHeat(node.reportQuota().admit(nowMs, said.heat(), metricRegistry));
        if (shadowRun != null) {
            shadowRun.heartbeat(nowMs, node, heartbeat);
        }
        take(nowMs, node, heartbeat);
        List<Order> toDo = decide(nowMs, node);
        HeartbeatAnswer answer = new HeartbeatAnswer(
                true, epoch, operatorState.serve(), node.session().needsFull(nowMs), toDo, heartbeatIntervalMs());
        node.session().answered(answer);
        return answer;
    }

    private void take(long nowMs, DataNodeState node, Heartbeat heartbeat) {
        if (node.note(nowMs, heartbeat)) {
            dispatcher.abandon(nowMs, node, "the DataNode was restarted");
            for (Resident resident : List.copyOf(node.residents().all())) {
                node.residents().remove(resident.block.id());
                clusterState
                        .moveTracker()
                        .correct(nowMs, node, resident.block, node.layout().base());
            }
        }
        boolean answerLost = heartbeat.full() && !node.session().askedForFull();
        heartbeatProcessor.results(nowMs, epoch, node, heartbeat.results());
        if (answerLost) {
            // A DataNode that reports everything unasked did not get its last answer, nor the orders in it.
            dispatcher.sendAgain(node);
        }
        heartbeatProcessor.residency(nowMs, node, heartbeat.residency(), heartbeat.full());
        for (Heat entry : heartbeat.heat()) {
            StampedBlock block = entry.block();
            accesses.accesses(
                    block.id(),
                    block.lengthBytes(),
                    entry.reads(),
                    entry.bytesRead(),
                    entry.writes(),
                    entry.bytesWritten());
        }
        heartbeatProcessor.heat(nowMs, node, heartbeat.heat());
    }

    private List<Order> decide(long nowMs, DataNodeState node) {
        planEverywhere(nowMs);
        if (!mayMove()) {
            return List.of();
        }
        dispatcher.examine(nowMs, node);
        List<Order> toDo = dispatcher.dispatch(nowMs, node);
        planner.plan(nowMs, node, true);
        return toDo;
    }

    private boolean mayMove() {
        return operatorState.mayMove();
    }

    private void planEverywhere(long nowMs) {
        for (DataNodeState node : clusterState.nodes().values()) {
            if (!node.requests().isEmpty()) {
                planner.plan(nowMs, node, mayMove());
            }
        }
    }

    /** Longer with many DataNodes, so that no more than a thousand heartbeats a second arrive. */
    private int heartbeatIntervalMs() {
        return Math.max(settings.heartbeats().intervalMs(), clusterState.nodes().size());
    }

    /**
     * What does not wait for a heartbeat: pins, lost orders, DataNodes that went silent, the policies' clocks. To be
     * called about every {@code terrace.placement.interval}.
     *
     * @return DataNodes looked at; 0 while stood down
     */
    public int turn(long nowMs) {
        if (!active) {
            return 0;
        }
        if (shadowRun != null) {
            shadowRun.turn(nowMs, operatorState);
        }
        if (mayMove()) {
            pinnedBlocks.turn(nowMs, operatorState);
            for (Breach breach : ruleEvaluator.sweep(nowMs)) {
                String why = breach.ruleDecision().sentence();
                clusterState
                        .moveTracker()
                        .dropCopy(nowMs, breach.node(), breach.block().id(), Cause.RULE, why);
            }
        }
        boolean tick = tickedMs == Long.MIN_VALUE || nowMs - tickedMs >= 1000;
        if (tick) {
            tickedMs = nowMs;
        }
        List<DataNodeState> gone = new ArrayList<>();
        for (DataNodeState node : clusterState.nodes().values()) {
            long silentMs = nowMs - node.lastMs();
            if (node.isLive() && silentMs > settings.heartbeats().expiryMs()) {
                node.expire();
                dispatcher.abandon(nowMs, node, "the DataNode fell silent");
            }
            if (silentMs > settings.heartbeats().forgetMs()) {
                gone.add(node);
            }
            dispatcher.expire(nowMs, node);
            if (tick) {
                node.policy().tick(nowMs, node::request);
            }
        }
        for (DataNodeState node : gone) {
            clusterState.nodes().remove(node.uuid());
            clusterState.heat().all().forEach(heat -> heat.forget(node));
        }
        planEverywhere(nowMs);
        return clusterState.nodes().size();
    }

    /** Moves that an operator requests; good until the next call of anything else. */
    public OperatorMoves operator() {
        String stopped = operatorState.serve() ? operatorState.moves() ? null : "moves are paused" : "Terrace is off";
        return new OperatorMoves(clusterState, planner, stopped);
    }

    public boolean isActive() {
        return active;
    }

    public long epoch() {
        return epoch;
    }

    public OperatorState operatorState() {
        return operatorState;
    }

    /** Reports on the present state, for the thread that owns the loop. */
    public PlacementReports reports() {
        return new PlacementReports(clusterState, pinnedBlocks, ruleEvaluator);
    }

    /** The loop's gauges. */
    public EngineStatus engineStatus() {
        int silent = 0;
        int waiting = 0;
        int inFlight = 0;
        long resident = 0;
        for (DataNodeState node : clusterState.nodes().values()) {
            silent += node.isLive() ? 0 : 1;
            waiting += node.moveQueue().waitingCount();
            inFlight += node.moveQueue().inFlightCount();
            resident += node.residents().size();
        }
        return new EngineStatus(
                active,
                active ? epoch : 0,
                operatorState,
                policyInForce().spec().policy(),
                clusterState.nodes().size(),
                silent,
                clusterState.heat().size(),
                resident,
                pinnedBlocks.size(),
                waiting,
                inFlight,
                reports().memoryBytes());
    }
}
