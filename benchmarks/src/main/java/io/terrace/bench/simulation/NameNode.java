package io.terrace.bench.simulation;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.placement.Heartbeat;
import io.terrace.placement.HeartbeatAnswer;
import io.terrace.placement.Placement;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.hdfs.HeartbeatCodec;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;

/** One process of a NameNode with the real placement loop in it. */
final class NameNode {

    private static final long TURN_NS = 250_000_000L;

    private final World world;
    private final OsProcess process;
    private final Figures figures = new Figures();
    private final PlacementSettings settings;
    private final Placement placement;
    private final long clockOriginMs;
    private long readsBefore;

    NameNode(World world, String name, PlacementSettings settings) {
        this.world = world;
        this.process = new OsProcess(world.scheduler(), name);
        this.settings = settings;
        this.placement = new Placement(settings, world.namespace(), figures);
        this.clockOriginMs = world.scheduler().between(0, 1L << 40);
        process.every(TURN_NS, "turn", this::turn);
    }

    OsProcess process() {
        return process;
    }

    Placement placement() {
        return placement;
    }

    /** Reads that it counted in this epoch; of earlier ones it knows nothing any more. */
    long readsCounted() {
        return figures.value(Figure.PLACEMENT_READS) - readsBefore;
    }

    long nowMs() {
        return clockOriginMs + world.scheduler().nowNs() / 1_000_000;
    }

    void activate(long epoch) {
        if (process.isAlive()) {
            process.say("is active in epoch %d", epoch);
            readsBefore = figures.value(Figure.PLACEMENT_READS);
            placement.activate(epoch, world.operator().orders());
        }
    }

    /** It notices that another one is active: at once, or only after a while. */
    void standDown() {
        if (placement.isActive()) {
            process.say("stands down");
            placement.standDown();
        }
    }

    /** The operator wants something else from now on. */
    void ordersChanged() {
        if (process.isAlive() && placement.isActive()) {
            placement.standingOrders(world.operator().orders());
        }
    }

    private void turn() {
        placement.turn(nowMs());
        world.checks().movesEnded(this);
    }

    HeartbeatResponseProto heartbeat(HeartbeatRequestProto request) {
        Heartbeat heartbeat = HeartbeatCodec.heartbeat(
                request, request.getHostName(), request.getTransferPort(), settings.heartbeatEntries(), figures);
        HeartbeatAnswer answer = placement.heartbeat(nowMs(), heartbeat);
        world.checks().answered(this, heartbeat, answer);
        return HeartbeatCodec.answer(answer);
    }
}
