package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;

/** One process of a NameNode with the real placement loop in it. */
public final class SimulatedNameNode {

    private static final long TURN_NS = 250_000_000L;

    private final SimulatedCluster simulatedCluster;
    private final OsProcess process;
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final PlacementSettings settings;
    private final PlacementEngine placement;
    private final SteppedJournal journal;
    private final long clockOriginMs;

    public SimulatedNameNode(SimulatedCluster simulatedCluster, String name, PlacementSettings settings) {
        this.simulatedCluster = simulatedCluster;
        this.process = new OsProcess(simulatedCluster.scheduler(), name);
        this.settings = settings;
        NamespaceView view =
                simulatedCluster.observer().view(this, simulatedCluster.hooks().view(simulatedCluster.namespace()));
        this.placement = new PlacementEngine(
                settings,
                view,
                metricRegistry,
                simulatedCluster.hooks().policies(simulatedCluster.observer().policies(this, PolicySpec::make)),
                simulatedCluster.observer().homes(this, simulatedCluster.hooks().homes(HomeSelector::new)),
                System::currentTimeMillis);
        this.journal = simulatedCluster.journal(name, settings, metricRegistry);
        placement.keepIn(journal.engineSide());
        this.clockOriginMs = simulatedCluster.scheduler().between(0, 1L << 40);
        process.every(TURN_NS, "turn", this::turn);
    }

    public SimulatedCluster simulatedCluster() {
        return simulatedCluster;
    }

    public OsProcess process() {
        return process;
    }

    public PlacementEngine placement() {
        return placement;
    }

    /** Reads that it counted, active or not. */
    public long readsCounted() {
        return metricRegistry.value(Metric.PLACEMENT_READS) + metricRegistry.value(Metric.PLACEMENT_STANDBY_READS);
    }

    /** Moves between volumes that it has ordered so far, to keep replicas in the range of a rule. */
    public long volumeMovesOrdered() {
        return metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_WISHED);
    }

    /** A figure of its service. */
    public long value(Metric metric) {
        return metricRegistry.value(metric);
    }

    public long nowMs() {
        return clockOriginMs + simulatedCluster.scheduler().nowNs() / 1_000_000;
    }

    public void activate(long epoch) {
        if (process.isAlive()) {
            process.say("is active in epoch %d", epoch);
            placement.activate(epoch, simulatedCluster.operator().orders());
        }
    }

    /** Notices that another NameNode is active: at once, or after a while. */
    public void standDown() {
        if (placement.isActive()) {
            process.say("stands down");
            placement.standDown();
        }
    }

    /** Applies a change by the operator. */
    void ordersChanged() {
        if (process.isAlive() && placement.isActive()) {
            placement.operatorState(simulatedCluster.operator().orders());
        }
    }

    private void turn() {
        placement.turn(nowMs());
        journal.turn(simulatedCluster.scheduler().nowNs());
        simulatedCluster.observer().movesEnded(this);
    }

    public HeartbeatResponseProto heartbeat(HeartbeatRequestProto request) {
        Heartbeat heartbeat = HeartbeatCodec.heartbeat(
                request,
                request.getHostName(),
                request.getTransferPort(),
                settings.heartbeats().entries(),
                metricRegistry);
        HeartbeatAnswer answer = placement.heartbeat(nowMs(), heartbeat);
        simulatedCluster.observer().answered(this, heartbeat, answer);
        return HeartbeatCodec.answer(answer);
    }
}
