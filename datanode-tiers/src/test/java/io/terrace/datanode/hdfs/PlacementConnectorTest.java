package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.Test;

class PlacementConnectorTest {

    private static final HeartbeatRequestProto HEARTBEAT = HeartbeatRequestProto.newBuilder()
            .setBlockPoolId("pool")
            .setDatanodeUuid("uuid")
            .setHostName("host")
            .setTransferPort(9866)
            .setIncarnation(1)
            .setSequence(1)
            .build();

    /** With many DataNodes the interval is as long as the time after which Hadoop's RPC closes an idle connection. */
    @Test
    void connection_outlivesTheTimeBetweenHeartbeats() throws Exception {
        Configuration conf = new Configuration();
        conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, 100);
        try (FakePlacement placement = new FakePlacement()) {
            PlacementConnector connector =
                    new PlacementConnector(conf, NetUtils.createSocketAddr(placement.address()), 10_000);
            PlacementDataNodePB service = connector.connect();
            try {
                for (int i = 0; i < 3; i++) {
                    HeartbeatResponseProto unused = service.heartbeat(null, HEARTBEAT);
                    Thread.sleep(300);
                }
            } finally {
                connector.disconnect(service);
            }
            assertThat(placement.clientPorts).hasSize(1);
        }
    }

    @Test
    void connect_looksUpTheHostEachTime() throws IOException {
        InetAddress earlier = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 9});
        PlacementConnector connector =
                new PlacementConnector(new Configuration(false), new InetSocketAddress(earlier, 8899), 1_000);
        PlacementDataNodePB service = connector.connect();
        try {
            assertThat(RPC.getServerAddress(service)).isEqualTo(new InetSocketAddress("localhost", 8899));
        } finally {
            connector.disconnect(service);
        }
    }
}
