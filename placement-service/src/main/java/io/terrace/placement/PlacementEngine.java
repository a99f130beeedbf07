package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessListener;
import io.terrace.placement.control.Benefit;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.journal.EngineJournal;
import io.terrace.placement.move.OperatorMoves;
import io.terrace.placement.policy.ActivePolicy;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.policy.PolicySwitch;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.volume.HomeMoves;
import io.terrace.protocol.MoveOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The placement engine: takes heartbeats of DataNodes, lets each DataNode's policy decide, keeps to the budget and
 * answers with orders. It has no thread of its own: {@link #heartbeat} and {@link #turn} are called with the time, from
 * one thread, by {@link PlacementLoop} in the NameNode and by simulations. Times are milliseconds on any clock that
 * does not run backwards.
 *
 * <p>It starts inactive, as on a standby NameNode, and counts the heat that DataNodes report. {@link #activate} begins an
 * epoch with that heat; the DataNodes' full reports then say what is in memory. Heat outlives epochs, and with an {@link
 * EngineJournal} the process.
 */
public final class PlacementEngine {

    /** DataNodes that are taken on; heartbeats of more are answered like a standby's. */
    public static final int MOST_NODES = 10_000;

    private final PlacementSettings settings;
    private final NamespaceView view;
    private final MetricRegistry metricRegistry;
    private final ActivePolicy activePolicy;
    private final PinEnds pinEnds;
    private EngineEpoch engineEpoch;
    private @Nullable ShadowRun shadowRun;
    private AccessListener accesses = AccessListener.NONE;
    private EngineJournal journal = EngineJournal.none();
    private long latestMs;

    private long epoch;
    private boolean active;
    private OperatorState operatorState = OperatorState.initial();

    public PlacementEngine(PlacementSettings settings, NamespaceView view, MetricRegistry metricRegistry) {
        this(settings, view, metricRegistry, PolicySpec::make);
    }

    /** As above with another maker of policies. */
    public PlacementEngine(
            PlacementSettings settings, NamespaceView view, MetricRegistry metricRegistry, PolicyFactory maker) {
        this(settings, view, metricRegistry, maker, HomeSelector::new, System::currentTimeMillis);
    }

    /**
     * As above.
     *
     * @param homes where copies belong
     * @param wallClockMs by which pins end that were made for a time; milliseconds since 1970
     */
    public PlacementEngine(
            PlacementSettings settings,
            NamespaceView view,
            MetricRegistry metricRegistry,
            PolicyFactory maker,
            HomeChoice.Factory homes,
            LongSupplier wallClockMs) {
        this.pinEnds = new PinEnds(wallClockMs);
        this.settings = settings;
        this.view = view;
        this.metricRegistry = metricRegistry;
        this.activePolicy = new ActivePolicy(settings.policy(), maker, metricRegistry);
        this.engineEpoch = new EngineEpoch(settings, view, activePolicy, homes, metricRegistry);
    }

    /** Where heat and moves are kept from now on; its heat is read. */
    public void keepIn(EngineJournal itsJournal) {
        journal = itsJournal;
        engineEpoch.clusterState().tell(itsJournal);
        itsJournal.load();
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
        if (active) {
            standDown();
        }
        epoch = newEpoch;
        operatorState = stored;
        active = true;
        engineEpoch.learnHeat(latestMs);
        journal.begins(newEpoch);
    }

    /** Another NameNode decides; everything known but heat is dropped. */
    public void standDown() {
        active = false;
        engineEpoch = engineEpoch.successor();
        shadowRun = null;
    }

    /**
     * As {@link #standDown}, after a failure: nothing of what is known can be trusted, but which heartbeats were taken. The
     * journal is read again.
     */
    void reset() {
        active = false;
        engineEpoch = engineEpoch.afterFailure();
        shadowRun = null;
        keepIn(journal);
    }

    /** The operator has changed something. */
    public void operatorState(OperatorState changed) {
        operatorState = changed;
        engineEpoch.operatorStateChanged();
    }

    /**
     * Another policy is to be in force from now on, on every DataNode. What is in memory stays there, and the policy in
     * force stays in force if the other one cannot be made.
     *
     * @return null, or why the policy stays as it is
     */
    public @Nullable String policy(long nowMs, PolicyChoice wanted) {
        if (wanted.equals(activePolicy.inForce()) && activePolicy.problem() == null) {
            return null;
        }
        String refusal = new PolicySwitch(engineEpoch.clusterState(), activePolicy).to(nowMs, wanted);
        engineEpoch.followPolicy(nowMs);
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
            return "a dry run of policy " + shadowRun.policy() + " is in progress; end it first";
        }
        PlacementEngine shadowEngine = new PlacementEngine(settings, view, new MetricRegistry(), activePolicy.maker());
        try {
            String refusal = shadowEngine.policy(nowMs, candidate);
            if (refusal == null) {
                shadowEngine.activate(1, operatorState);
                shadowRun = new ShadowRun(nowMs, forMs, shadowEngine, engineEpoch.clusterState(), settings);
                refusal = shadowEngine.learn(nowMs, engineEpoch.clusterState());
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
            engineEpoch
                    .clusterState()
                    .heat()
                    .put(heat.copied(node -> engineEpoch.clusterState().nodes().get(node.uuid())));
        }
        return new PolicySwitch(engineEpoch.clusterState(), activePolicy).to(nowMs, activePolicy.inForce());
    }

    /** The loop failed. If the policy in force failed, another one takes its place, and the answer is true. */
    boolean distrustPolicy(Throwable e) {
        boolean distrusted = activePolicy.distrust(e);
        engineEpoch.followPolicy(latestMs);
        return distrusted;
    }

    public PolicyChoice policyInForce() {
        return activePolicy.inForce();
    }

    /** Why what is wanted is not in force; null when it is. */
    public @Nullable String policyProblem() {
        return activePolicy.problem();
    }

    /** Takes a heartbeat, its heat within the quota of its DataNode, and says what the DataNode is to do. */
    public HeartbeatAnswer heartbeat(long nowMs, Heartbeat said) {
        metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS);
        latestMs = nowMs;
        if (!active) {
            count(nowMs, said);
            return HeartbeatAnswer.standby(engineEpoch.heartbeatIntervalMs());
        }
        DataNodeState node = engineEpoch.node(nowMs, said.node());
        if (node == null) {
            return HeartbeatAnswer.standby(settings.heartbeats().intervalMs() * 40);
        }
        if (node.session().isTakenBefore(said)) {
            metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS_AGAIN);
            return HeartbeatAnswer.standby(settings.heartbeats().intervalMs());
        }
        HeartbeatAnswer again = node.session().answerAgain(said);
        if (again != null) {
            metricRegistry.increment(Metric.PLACEMENT_HEARTBEATS_AGAIN);
            return again;
        }
        Heartbeat heartbeat = admitted(nowMs, node, said);
        if (shadowRun != null) {
            shadowRun.heartbeat(nowMs, node, heartbeat);
        }
        int offersTaken = engineEpoch.take(nowMs, epoch, node, heartbeat, accesses);
        List<MoveOrder> toDo = engineEpoch.decide(nowMs, node, operatorState.mayMove());
        HeartbeatAnswer answer = new HeartbeatAnswer(
                true,
                epoch,
                operatorState.serve(),
                node.session().needsFull(nowMs),
                toDo,
                engineEpoch.heartbeatIntervalMs(),
                node.resize(),
                settings.control().sample().percent(),
                accesses.wantsReaders(),
                operatorState.mayMove() ? engineEpoch.volumes().offersWanted(nowMs, node) : List.of(),
                offersTaken,
                engineEpoch.writeThroughHints().rules().after(heartbeat.writeThroughRules()));
        node.session().answered(answer);
        return answer;
    }

    /** Counts the heat of a heartbeat, once, while another NameNode decides. */
    private void count(long nowMs, Heartbeat said) {
        DataNodeState node = engineEpoch.node(nowMs, said.node());
        if (node != null
                && !node.session().isTakenBefore(said)
                && !node.session().isCounted(said)) {
            engineEpoch.count(nowMs, node, admitted(nowMs, node, said));
        }
    }

    /** With the heat that its quota admits; none that was counted before this NameNode decided. */
    private Heartbeat admitted(long nowMs, DataNodeState node, Heartbeat said) {
        return said.withHeat(
                node.session().isCounted(said)
                        ? List.of()
                        : node.reportQuota().admit(nowMs, said.heat(), metricRegistry));
    }

    /**
     * What does not wait for a heartbeat: pins, lost orders, DataNodes that went silent, the policies' clocks. To be
     * called about every {@code terrace.placement.interval}.
     *
     * @return DataNodes looked at; 0 while inactive
     */
    public int turn(long nowMs) {
        latestMs = nowMs;
        journal.turn(
                nowMs,
                engineEpoch.clusterState(),
                active ? heat -> engineEpoch.learnHeat(nowMs, heat) : heat -> {},
                engineEpoch.volumes()::remember);
        if (!active) {
            engineEpoch.idle(nowMs);
            return 0;
        }
        OperatorState remaining = pinEnds.remaining(nowMs, operatorState);
        if (!remaining.equals(operatorState)) {
            operatorState(remaining);
        }
        if (shadowRun != null) {
            shadowRun.turn(nowMs, operatorState);
        }
        return engineEpoch.turn(nowMs, operatorState);
    }

    /** Moves that an operator requests; valid until the next call of any other method. */
    public OperatorMoves operator() {
        return engineEpoch.operatorMoves(stopped());
    }

    /** Why the operator lets nothing move; null if it may. */
    private @Nullable String stopped() {
        return operatorState.serve() ? operatorState.moves() ? null : "moves are paused" : "Terrace is off";
    }

    /**
     * Brings the replicas of a block home to its storage policy.
     *
     * @param dryRun says what would be moved, and changes nothing
     */
    public HomeMoves.Outcome release(long nowMs, Home home, boolean dryRun) {
        String stopped = stopped() == null ? view.stopsVolumeMoves() : stopped();
        HomeMoves.Outcome outcome = engineEpoch.volumes().release(nowMs, home, dryRun || stopped != null);
        return stopped == null || dryRun ? outcome : outcome.stopped(stopped);
    }

    /** Why no replica is moved between volumes now, by the state of the NameNode; null if they are. */
    public @Nullable String volumeMovesStopped() {
        return view.stopsVolumeMoves();
    }

    /**
     * Has the memory of a DataNode resized, until it restarts; what comes of it is in the reports.
     *
     * @param uuid of a DataNode that reports
     * @return null, or why it is not even asked
     */
    public @Nullable String resize(String uuid, long capacityBytes) {
        return engineEpoch.resize(epoch, uuid, capacityBytes);
    }

    /** What is to be known of a range that holds no tier of the file's storage policy; null where it holds one, or there is none. */
    public @Nullable String offPolicy(Home home) {
        return engineEpoch.volumes().offPolicy(home);
    }

    /** What {@code satisfy} wants of a block and what it waits for; null where nothing says it. */
    public @Nullable String satisfying(long nowMs, Home home) {
        return engineEpoch.volumes().satisfying(nowMs, home);
    }

    /** DataNodes without a volume of a tier that {@code satisfy} wants replicas of theirs in, as of the last walk. */
    public Map<StorageTier, Set<String>> lacking() {
        return engineEpoch.volumes().lacking();
    }

    /** Tiers into which nothing climbs by heat now, as reads from them were slower than of the control sample. */
    public List<Benefit> tiersLeft() {
        return reports().tiersLeft(latestMs);
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
        return engineEpoch.reports();
    }

    /** The loop's gauges. */
    public EngineStatus engineStatus() {
        return engineEpoch.status(latestMs, active, active ? epoch : 0, operatorState);
    }
}
