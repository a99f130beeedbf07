package io.terrace.bench.simulation;

import io.terrace.datanode.ServiceLink;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;

/** The calls of one DataNode to one NameNode: what {@code ServiceThread} does, without its thread, around the real {@link ServiceLink}. */
final class Uplink {

    private static final long TIMEOUT_NS = 900_000_000L;
    private static final long SOONEST_NS = 40_000_000L;

    private final DataNode dataNode;
    private final int nameNode;
    private final ServiceLink link;
    private static final long NONE = 0;

    /** The call that is under way. */
    private long outstanding = NONE;

    private long calls;
    private boolean beatSoon;

    Uplink(DataNode dataNode, int nameNode, ServiceLink.Shared shared) {
        this.dataNode = dataNode;
        this.nameNode = nameNode;
        this.link = new ServiceLink(Namespace.POOL, shared, this::news);
    }

    ServiceLink link() {
        return link;
    }

    private void news() {
        if (!beatSoon) {
            beatSoon = true;
            dataNode.process().after(SOONEST_NS, "news", () -> {
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
        World world = dataNode.world();
        HeartbeatRequestProto request = link.compose(dataNode.process().nanoTime());
        long call = ++calls;
        outstanding = call;
        world.checks().composed(dataNode, nameNode, request);
        for (HeartbeatRequestProto one : world.planted().heartbeat(dataNode.host(), request)) {
            world.callNameNode(dataNode, nameNode, one, response -> answered(call, response));
        }
        if (world.planted().forgetsWhenSent()) {
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
        World world = dataNode.world();
        if (outstanding != call && !world.planted().forgetsWhenSent()) {
            return;
        }
        outstanding = NONE;
        HeartbeatResponseProto obeyed = world.checks().answered(dataNode, nameNode, response);
        link.delivered(obeyed, dataNode.process().nanoTime());
    }
}
