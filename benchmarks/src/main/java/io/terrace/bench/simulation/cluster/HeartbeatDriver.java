package io.terrace.bench.simulation.cluster;

import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;

/** The calls of one DataNode to one NameNode: what {@code HeartbeatAgent} does, without its thread, around the real {@link HeartbeatExchange}. */
final class HeartbeatDriver {

    private static final long TIMEOUT_NS = 900_000_000L;
    private static final long SOONEST_NS = 40_000_000L;

    private final SimulatedDataNode dataNode;
    private final int nameNode;
    private final HeartbeatExchange link;
    private static final long NONE = 0;

    /** The call that is under way. */
    private long outstanding = NONE;

    private long calls;
    private boolean beatSoon;

    HeartbeatDriver(SimulatedDataNode dataNode, int nameNode, HeartbeatExchange.Shared shared) {
        this.dataNode = dataNode;
        this.nameNode = nameNode;
        this.link = new HeartbeatExchange(SimulatedNamespace.POOL, shared, this::changed);
    }

    HeartbeatExchange link() {
        return link;
    }

    private void changed() {
        if (!beatSoon) {
            beatSoon = true;
            dataNode.process().after(SOONEST_NS, "heartbeat soon", () -> {
                beatSoon = false;
                beat();
            });
        }
    }

    /** One call, unless one is under way. */
    void beat() {
        if (outstanding != NONE) {
            return;
        }
        SimulatedCluster simulatedCluster = dataNode.simulatedCluster();
        HeartbeatRequestProto request = link.compose(dataNode.process().nanoTime());
        long call = ++calls;
        outstanding = call;
        simulatedCluster.observer().composed(dataNode, nameNode, request);
        for (HeartbeatRequestProto one : simulatedCluster.hooks().heartbeat(dataNode.host(), request)) {
            simulatedCluster.callNameNode(dataNode, nameNode, one, response -> answered(call, response));
        }
        if (simulatedCluster.hooks().forgetsWhenSent()) {
            outstanding = NONE;
            link.delivered(
                    HeartbeatResponseProto.newBuilder()
                            .setActive(false)
                            .setEpoch(0)
                            .setServe(true)
                            .build(),
                    dataNode.process().nanoTime());
        }
        dataNode.process().after(TIMEOUT_NS, "heartbeat timeout", () -> {
            if (outstanding == call) {
                outstanding = NONE;
                link.failed();
            }
        });
    }

    private void answered(long call, HeartbeatResponseProto response) {
        SimulatedCluster simulatedCluster = dataNode.simulatedCluster();
        if (outstanding != call && !simulatedCluster.hooks().forgetsWhenSent()) {
            return;
        }
        outstanding = NONE;
        HeartbeatResponseProto obeyed = simulatedCluster.observer().answered(dataNode, nameNode, response);
        link.delivered(obeyed, dataNode.process().nanoTime());
    }
}
