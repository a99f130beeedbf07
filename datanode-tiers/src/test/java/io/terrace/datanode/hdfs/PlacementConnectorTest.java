package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.PlacementDataNodePB;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.junit.jupiter.api.Test;

class PlacementConnectorTest {

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
