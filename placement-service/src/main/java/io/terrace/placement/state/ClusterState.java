package io.terrace.placement.state;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.control.ControlSettings;
import io.terrace.placement.control.ControlTrial;
import io.terrace.placement.heartbeat.EarlierSessions;
import io.terrace.policy.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What the service knows of the cluster: DataNodes, heat and moves. Owned by the engine's thread. */
public final class ClusterState {

    private final MoveSettings moveSettings;
    private final HeatSettings heatSettings;
    private final MetricRegistry metricRegistry;
    private final Map<String, DataNodeState> nodes = new LinkedHashMap<>();
    private final Set<DataNodeState> requesting = new HashSet<>();
    private long joined;
    private EarlierSessions earlierSessions = new EarlierSessions();
    private final HeatMap heat;
    private final MoveTracker moveTracker;
    private final TokenBucket volumeBudget;
    private final Reach reach = new Reach();
    private final ControlTrial controlTrial;
    private StateListener listener;
    private long heardSinceMs = Long.MIN_VALUE;

    /** Without a control sample. */
    public ClusterState(MoveSettings moveSettings, HeatSettings heatSettings, MetricRegistry metricRegistry) {
        this(moveSettings, heatSettings, metricRegistry, new ControlTrial(ControlSettings.OFF, metricRegistry));
    }

    public ClusterState(
            MoveSettings moveSettings,
            HeatSettings heatSettings,
            MetricRegistry metricRegistry,
            ControlTrial controlTrial) {
        this(
                moveSettings,
                heatSettings,
                metricRegistry,
                new HeatMap(heatSettings.trackedBlocks(), heatSettings.halfLifeMs()),
                controlTrial,
                StateListener.NONE);
    }

    private ClusterState(
            MoveSettings moveSettings,
            HeatSettings heatSettings,
            MetricRegistry metricRegistry,
            HeatMap heat,
            ControlTrial controlTrial,
            StateListener listener) {
        this.moveSettings = moveSettings;
        this.heatSettings = heatSettings;
        this.metricRegistry = metricRegistry;
        this.moveTracker = new MoveTracker(metricRegistry);
        this.heat = heat;
        this.controlTrial = controlTrial;
        long volumeBytes = moveSettings.volumes().totalBytesPerSecond();
        this.volumeBudget = new TokenBucket(volumeBytes, volumeBytes, Accrual.CAPPED, TimeUnit.MILLISECONDS, 0);
        tell(listener);
    }

    /** Who is told from now on. */
    public void tell(StateListener other) {
        listener = other;
        heat.tell(other);
        moveTracker.tell(other);
    }

    /** This is to be known after a restart, if a journal is kept. */
    public void note(StateListener.Note note) {
        listener.noted(note);
    }

    /**
     * What outlives an epoch: the heat, the comparison with the control sample, and of each DataNode what it last said of
     * itself. This object is of no use any more.
     *
     * @param maker of the DataNodes' policies
     */
    public ClusterState successor(Supplier<PlacementPolicy> maker) {
        ClusterState next = new ClusterState(moveSettings, heatSettings, metricRegistry, heat, controlTrial, listener);
        next.heardSinceMs = heardSinceMs;
        next.earlierSessions = earlierSessions;
        nodes.values().forEach(node -> next.add(node.successor(maker.get())));
        // One that is gone and came back as another object is there but once.
        heat.rebind(node -> nodes.get(node.uuid()) == node ? next.nodes.get(node.uuid()) : null);
        return next;
    }

    /** Goes on with the heartbeats of another state's DataNodes, as each reports again, and takes over nothing else. */
    public void goesOnAfter(ClusterState other) {
        earlierSessions = new EarlierSessions();
        earlierSessions.addAll(other.earlierSessions);
        other.nodes.forEach((uuid, node) -> earlierSessions.add(uuid, node.session()));
    }

    public MoveSettings moveSettings() {
        return moveSettings;
    }

    public HeatSettings heatSettings() {
        return heatSettings;
    }

    public MetricRegistry metricRegistry() {
        return metricRegistry;
    }

    public Map<String, DataNodeState> nodes() {
        return nodes;
    }

    /** A DataNode is known from now on. */
    public void add(DataNodeState node) {
        earlierSessions.goOnIn(node.uuid(), node.session());
        node.joins(++joined, requesting::add);
        nodes.put(node.uuid(), node);
    }

    /** A DataNode is gone for good; {@link #forgetGone} drops what it contributed to heat. */
    public void remove(DataNodeState node) {
        nodes.remove(node.uuid(), node);
        requesting.remove(node);
        // Until then it is the home of blocks, where nothing is requested or dropped any more.
        node.joins(node.joined(), gone -> {});
        List.copyOf(node.residents().ids()).forEach(node.residents()::remove);
        heat.gone(node);
    }

    /** A turn's part of what is left to do after DataNodes went. */
    public void forgetGone() {
        heat.forgetGone();
    }

    /** The DataNodes whose policies requested moves since this was asked last, in the order in which they joined; a few of thousands. */
    public List<DataNodeState> takeRequesting() {
        if (requesting.isEmpty()) {
            return List.of();
        }
        List<DataNodeState> taken = new ArrayList<>(requesting);
        taken.sort(Comparator.comparingLong(DataNodeState::joined));
        requesting.clear();
        return taken;
    }

    public HeatMap heat() {
        return heat;
    }

    /** A DataNode reports. */
    public void hears(long nowMs) {
        if (heardSinceMs == Long.MIN_VALUE) {
            heardSinceMs = nowMs;
        }
    }

    /** A block without heat was not accessed for so long: accesses were counted, and none since is forgotten. */
    public long heardForMs(long nowMs) {
        return heardSinceMs == Long.MIN_VALUE ? 0 : nowMs - Math.max(heardSinceMs, heat.completeSinceMs());
    }

    /** Which blocks never climb by heat, and what tiers are worth. */
    public ControlTrial controlTrial() {
        return controlTrial;
    }

    /** Which clients find copies. */
    public Reach reach() {
        return reach;
    }

    /** Bytes of moves between volumes on all DataNodes; a second of it is saved up. */
    public TokenBucket volumeBudget() {
        return volumeBudget;
    }

    /** Moves between volumes that DataNodes are carrying out. */
    public int volumeMovesInFlight() {
        int inFlight = 0;
        for (DataNodeState node : nodes.values()) {
            inFlight += node.volumeMoves().inFlightCount();
        }
        return inFlight;
    }

    /** The moves of all DataNodes. */
    public MoveTracker moveTracker() {
        return moveTracker;
    }
}
