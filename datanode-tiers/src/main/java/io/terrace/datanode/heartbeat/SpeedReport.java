package io.terrace.datanode.heartbeat;

import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteSpeedProto;

/** How fast clients write to this DataNode, as heartbeats carry it: what changed since the last one that was delivered. */
final class SpeedReport {

    private static final int MOST_IN_ONE = 256;

    private final ClientSpeeds speeds;
    private long delivered;
    private long sent;

    SpeedReport(ClientSpeeds speeds) {
        this.speeds = speeds;
    }

    void addTo(HeartbeatRequestProto.Builder request) {
        sent = delivered;
        for (ClientSpeeds.Speed speed : speeds.changedSince(delivered, MOST_IN_ONE)) {
            request.addWriteSpeeds(WriteSpeedProto.newBuilder()
                    .setClient(speed.sender().host())
                    .setForwarded(speed.sender().forwards())
                    .setBytesPerSecond(speed.bytesPerSecond())
                    .setSamples(speed.samples()));
            sent = speed.change();
        }
    }

    void delivered() {
        delivered = sent;
    }
}
