package io.terrace.placement.state;

import io.terrace.metrics.MetricRegistry;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the service knows of the cluster: DataNodes, heat and moves. Owned by the engine's thread. */
public final class ClusterState {

    private final MoveSettings moveSettings;
    private final HeatSettings heatSettings;
    private final MetricRegistry metricRegistry;
    private final Map<String, DataNodeState> nodes = new LinkedHashMap<>();
    private final HeatMap heat;
    private final MoveTracker moveTracker;

    public ClusterState(MoveSettings moveSettings, HeatSettings heatSettings, MetricRegistry metricRegistry) {
        this.moveSettings = moveSettings;
        this.heatSettings = heatSettings;
        this.metricRegistry = metricRegistry;
        this.moveTracker = new MoveTracker(metricRegistry);
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

    /** The moves of all DataNodes. */
    public MoveTracker moveTracker() {
        return moveTracker;
    }
}
