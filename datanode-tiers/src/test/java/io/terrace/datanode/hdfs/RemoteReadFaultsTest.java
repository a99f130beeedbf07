package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reads over the tcp channel that are interrupted: the copy, the channel or the DataNode's answers end meanwhile. */
@Tag("cluster")
class RemoteReadFaultsTest {

    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;

    @RegisterExtension
    static final RemoteReadsCluster remote = new RemoteReadsCluster();

    @Test
    void read_acrossEviction_goesOnWithStock() throws Exception {
        Path file = remote.cluster.write("evicted", BYTES, 2);
        long directive = remote.cluster.pin(file, 1);
        BlockKey first = remote.cluster.key(file, 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> remote.resident(0, first) || remote.resident(1, first));
        byte[] contents = TerraceCluster.contents("evicted", BYTES);
        try (FSDataInputStream in = remote.client.fs().open(file)) {
            byte[] head = new byte[1000];
            in.readFully(head);
            remote.cluster.fs().removeCacheDirective(directive);
            remote.cluster.awaitGone(0, first);
            remote.cluster.awaitGone(1, first);
            assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(contents, 1000, BYTES));
        }
    }

    @Test
    void read_whenTheChannelEnds_goesOnWithStock_andNoDataNodeIsDead() throws Exception {
        Path file = remote.pinned("cut", BYTES);
        remote.client.awaitGranted(file, BYTES);
        try (FSDataInputStream in = remote.client.fs().open(file)) {
            byte[] head = new byte[1000];
            in.readFully(head);
            remote.cluster.stopPlugin(0);
            remote.cluster.stopPlugin(1);
            try {
                byte[] rest = in.readAllBytes();
                assertThat(rest).isEqualTo(Arrays.copyOfRange(TerraceCluster.contents("cut", BYTES), 1000, BYTES));
                DatanodeInfo current = ((HdfsDataInputStream) in).getCurrentDatanode();
                // A stream that had put it on its dead list would have gone to the other one, and then waited.
                assertThat(current).isNotNull();
                in.readFully(0, head);
            } finally {
                remote.cluster.startPlugin(0);
                remote.cluster.startPlugin(1);
            }
        }
    }

    @Test
    void read_whenOneOfSeveralConnectionsEnds_goesOnWithStock_andOthersGoOnFromMemory() throws Exception {
        int bytes = TerraceCluster.BLOCK_BYTES;
        // One replica: the other DataNode is not behind the proxy.
        Path file = remote.cluster.write("lanes", bytes, 1);
        byte[] contents = TerraceCluster.contents("lanes", bytes);
        remote.cluster.pin(file, 1);
        int transferPort = remote.cluster.located(file, 0).getLocations()[0].getXferPort();
        try (CuttableProxy proxy = new CuttableProxy(transferPort + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS)) {
            Configuration conf = remote.configuration();
            conf.setInt(RemoteReadsCluster.OFFSET, proxy.port() - transferPort);
            try (FileSystem fs = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
                    FSDataInputStream pausing = fs.open(file);
                    FSDataInputStream cut = fs.open(file)) {
                await().atMost(Duration.ofSeconds(10)).until(() -> {
                    long before = OtherHostClient.bytes();
                    try (FSDataInputStream in = fs.open(file)) {
                        in.readAllBytes();
                    }
                    return OtherHostClient.bytes() - before == bytes;
                });
                byte[] some = new byte[75_000];
                cut.readFully(some);
                // A reader that goes on has much asked for ahead; this one pauses then.
                pausing.readFully(some);
                pausing.readFully(some);
                cut.seek(300_000);
                cut.readFully(some);
                assertThat(proxy.accepted()).isEqualTo(2);
                long unreachable = ClientMetrics.value(Metric.CLIENT_REMOTE_UNREACHABLE);
                long steppedDown = ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN);
                proxy.cutNewest();
                assertThat(cut.readAllBytes()).isEqualTo(Arrays.copyOfRange(contents, 375_000, bytes));
                assertThat(pausing.readAllBytes()).isEqualTo(Arrays.copyOfRange(contents, 150_000, bytes));
                assertThat(ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN) - steppedDown)
                        .isEqualTo(1);
                assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_UNREACHABLE))
                        .isEqualTo(unreachable);
                long before = OtherHostClient.bytes();
                try (FSDataInputStream in = fs.open(file)) {
                    assertThat(in.readAllBytes()).isEqualTo(contents);
                }
                assertThat(OtherHostClient.bytes() - before).isEqualTo(bytes);
            }
        }
    }

    @Test
    void read_hedged_doesNotWaitForMemoryThatDoesNotAnswer() throws Exception {
        int bytes = TerraceCluster.BLOCK_BYTES;
        Path file = remote.cluster.write("hedged", bytes, 2);
        byte[] contents = TerraceCluster.contents("hedged", bytes);
        remote.cluster.pin(file, 1);
        BlockKey key = remote.cluster.key(file, 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> remote.resident(0, key) || remote.resident(1, key));
        int transferPort =
                remote.cluster.datanode(remote.resident(0, key) ? 0 : 1).getXferPort();
        try (CuttableProxy proxy = new CuttableProxy(transferPort + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS)) {
            Configuration conf = remote.configuration();
            conf.setInt(RemoteReadsCluster.OFFSET, proxy.port() - transferPort);
            conf.setInt("dfs.client.hedged.read.threadpool.size", 4);
            conf.setLong("dfs.client.hedged.read.threshold.millis", 200);
            conf.set("terrace.client.tcp.timeout", "60s");
            try (FileSystem fs = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
                    FSDataInputStream in = fs.open(file)) {
                byte[] got = new byte[4096];
                await().atMost(Duration.ofSeconds(10)).until(() -> {
                    long before = OtherHostClient.bytes();
                    in.readFully(5, got);
                    return OtherHostClient.bytes() > before;
                });
                long hedged = ClientMetrics.value(Metric.CLIENT_FS_HEDGED);
                proxy.hold(true);
                long beganNs = System.nanoTime();
                in.readFully(70_001, got);
                assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(30));
                assertThat(got).isEqualTo(Arrays.copyOfRange(contents, 70_001, 70_001 + got.length));
                assertThat(ClientMetrics.value(Metric.CLIENT_FS_HEDGED)).isEqualTo(hedged + 1);
                proxy.hold(false);
            }
        }
    }

    @Test
    void read_whereTheChannelIsSilent_costsOneDeadline() throws Exception {
        Path file = remote.cluster.write("silent", BYTES, 1);
        // A channel of its own settings, so that nothing is connected yet; its port answers nothing.
        int transferPort = remote.cluster.located(file, 0).getLocations()[0].getXferPort();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Configuration conf = remote.configuration();
            conf.setInt(RemoteReadsCluster.OFFSET, silent.getLocalPort() - transferPort);
            conf.set("terrace.client.tcp.connect.timeout", "300ms");
            long unreachable = ClientMetrics.value(Metric.CLIENT_REMOTE_UNREACHABLE);
            try (FileSystem fs = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf)) {
                byte[] buffer = new byte[4096];
                try (FSDataInputStream in = fs.open(file)) {
                    for (int i = 0; i < 50; i++) {
                        in.readFully(i * 1000L, buffer);
                    }
                    assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("silent", BYTES));
                }
            }
            // Once, and once again after a pause at most; not for each of the reads.
            assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_UNREACHABLE) - unreachable)
                    .isBetween(1L, 4L);
        }
    }
}
