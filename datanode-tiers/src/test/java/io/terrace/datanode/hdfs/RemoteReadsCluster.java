package io.terrace.datanode.hdfs;

import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two DataNodes with block tokens and the tcp channel, and a client that does not see their memory. */
final class RemoteReadsCluster implements BeforeAllCallback, AfterAllCallback {

    static final String OFFSET = "terrace.channel.tcp.port.offset";
    static final String TRUSTED = "terrace.channel.verbs.trusted-network";

    /** Leads out of the range of ports that the kernel hands out, where the transfer ports of these clusters are. */
    static final int OUT_OF_EPHEMERAL_PORTS = -29_000;

    /** Many other tests want the two cores. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    TerraceCluster cluster;
    OtherHostClient client;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt(OFFSET, OUT_OF_EPHEMERAL_PORTS);
        // Wanted, but loopback has no RDMA device: all of these tests go over tcp.
        conf.setInt("terrace.channel.verbs.port.offset", OUT_OF_EPHEMERAL_PORTS + 1);
        conf.setBoolean(TRUSTED, true);
        cluster = TerraceCluster.start(2, conf);
        client = OtherHostClient.of(cluster, PATIENCE);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        client.close();
        cluster.close();
    }

    Configuration configuration() throws IOException {
        return OtherHostClient.configuration(cluster.fs().getConf(), PATIENCE);
    }

    Path pinned(String name, int bytes) throws IOException {
        Path file = cluster.write(name, bytes, 2);
        cluster.pin(file, 1);
        for (long at = 0; at < bytes; at += TerraceCluster.BLOCK_BYTES) {
            BlockKey key = cluster.key(file, (int) (at / TerraceCluster.BLOCK_BYTES));
            await().atMost(Duration.ofSeconds(20)).until(() -> resident(0, key) || resident(1, key));
        }
        return file;
    }

    boolean resident(int datanode, BlockKey key) {
        return cluster.service(datanode).tier().isResident(key);
    }
}
