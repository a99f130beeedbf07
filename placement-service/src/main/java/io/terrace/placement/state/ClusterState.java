package io.terrace.placement.state;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.MetricRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the service knows of the cluster: DataNodes, heat and moves. Owned by the engine's thread. */
public final class ClusterState {

    private final MoveSettings moveSettings;
    private final HeatSettings heatSettings;
    private final MetricRegistry metricRegistry;
    private final Map<String, DataNodeState> nodes = new LinkedHashMap<>();
    private final HeatMap heat;
    private final MoveTracker moveTracker;
    private final TokenBucket volumeBudget;
    private final Reach reach = new Reach();

    public ClusterState(MoveSettings moveSettings, HeatSettings heatSettings, MetricRegistry metricRegistry) {
        this.moveSettings = moveSettings;
        this.heatSettings = heatSettings;
        this.metricRegistry = metricRegistry;
        this.moveTracker = new MoveTracker(metricRegistry);
        long volumeBytes = moveSettings.volumes().totalBytesPerSecond();
        this.volumeBudget = new TokenBucket(volumeBytes, volumeBytes, Accrual.CAPPED, TimeUnit.MILLISECONDS, 0);
        this.heat = new HeatMap(heatSettings.trackedBlocks(), heatSettings.halfLifeMs());
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

    public HeatMap heat() {
        return heat;
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
