package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that do not see the memory of the DataNodes' host, as on another host or in a container: two DataNodes with
 * block tokens, read through the FileSystem class and the tcp channel.
 */
@Tag("cluster")
class RemoteReadsTest {

    private static final String OFFSET = "terrace.channel.tcp.port.offset";
    private static final String TRUSTED = "terrace.channel.verbs.trusted-network";

    /** Leads out of the range of ports that the kernel hands out, where the transfer ports of these clusters are. */
    static final int OUT_OF_EPHEMERAL_PORTS = -29_000;

    /** Many other tests want the two cores. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;

    private static TerraceCluster cluster;
    private static OtherHostClient client;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt(OFFSET, OUT_OF_EPHEMERAL_PORTS);
        // Wanted, but loopback has no RDMA device: all of these tests go over tcp.
        conf.setInt("terrace.channel.verbs.port.offset", OUT_OF_EPHEMERAL_PORTS + 1);
        conf.setBoolean(TRUSTED, true);
        cluster = TerraceCluster.start(2, conf);
        client = OtherHostClient.of(cluster, PATIENCE);
    }

    @AfterAll
    static void stop() throws IOException {
        client.close();
        cluster.close();
    }

    private static Configuration configuration() throws IOException {
        return OtherHostClient.configuration(cluster.fs().getConf(), PATIENCE);
    }

    private static Path pinned(String name, int bytes) throws IOException {
        Path file = cluster.write(name, bytes, 2);
        cluster.pin(file, 1);
        for (long at = 0; at < bytes; at += TerraceCluster.BLOCK_BYTES) {
            BlockKey key = cluster.key(file, (int) (at / TerraceCluster.BLOCK_BYTES));
            await().atMost(Duration.ofSeconds(20)).until(() -> resident(0, key) || resident(1, key));
        }
        return file;
    }

    private static boolean resident(int datanode, BlockKey key) {
        return cluster.service(datanode).tier().isResident(key);
    }

    @Test
    void read_ofResidentBlocks_comesOverTcp_andIsAccounted() throws Exception {
        Path file = pinned("sequential", BYTES);
        client.awaitGranted(file, BYTES);
        long served = cluster.figure(0, Metric.READS_GRANTED_BYTES) + cluster.figure(1, Metric.READS_GRANTED_BYTES);
        long steppedDown = ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN);
        assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("sequential", BYTES));
        assertThat(ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN)).isEqualTo(steppedDown);
        await().atMost(Duration.ofSeconds(5))
                .until(() ->
                        cluster.figure(0, Metric.READS_GRANTED_BYTES) + cluster.figure(1, Metric.READS_GRANTED_BYTES)
                                >= served + BYTES);
    }

    /** Where Hadoop keeps those of any FileSystem: by its own class, and once among all of the scheme. */
    @Test
    @SuppressWarnings("deprecation") // What MapReduce and Hadoop's tests ask.
    void statistics_countWhatCameOverTcp() throws Exception {
        Path file = pinned("counted", BYTES);
        client.awaitGranted(file, BYTES);
        FileSystem.Statistics ofClass = FileSystem.getStatistics("hdfs", TerraceFileSystem.class);
        long byClass = ofClass.getBytesRead();
        long ofThisHost = ofClass.getBytesReadByDistance(0);
        long all = bytesReadOfAllClasses();
        long before = OtherHostClient.bytes();
        client.read(file);
        assertThat(OtherHostClient.bytes() - before).isEqualTo(BYTES);
        assertThat(ofClass.getBytesRead() - byClass).isEqualTo(BYTES);
        assertThat(ofClass.getBytesReadByDistance(0) - ofThisHost)
                .as("as far as the DataNode is, which is on this host")
                .isEqualTo(BYTES);
        assertThat(bytesReadOfAllClasses() - all).isEqualTo(BYTES);
    }

    @SuppressWarnings("deprecation")
    private static long bytesReadOfAllClasses() {
        return FileSystem.getAllStatistics().stream()
                .filter(statistics -> statistics.getScheme().equals("hdfs"))
                .mapToLong(FileSystem.Statistics::getBytesRead)
                .sum();
    }

    @Test
    void rdmaThatIsNotThere_isSaid_andTcpServes() throws Exception {
        assertThat(cluster.service(0).rdmaTrouble()).isNotEmpty();
        Path file = pinned("without rdma", BYTES);
        client.awaitGranted(file, BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_VERBS_READS)).isZero();
        assertThat(ClientMetrics.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isZero();
    }

    /** A card checks no token. */
    @Test
    void rdma_whereTokensAreOnAndTheNetworkIsNotTrusted_isNotServed() {
        Configuration conf = cluster.datanode(0).getConf();
        conf.setBoolean(TRUSTED, false);
        try {
            VerbsServing.Served served = VerbsServing.serve(
                    cluster.datanode(0), new BlockTokens(cluster.datanode(0)), 16, new MetricRegistry());
            assertThat(served.extents()).isNull();
            assertThat(served.oneSided().where()).isEmpty();
            assertThat(served.trouble()).contains("block tokens").contains(TRUSTED);
        } finally {
            conf.setBoolean(TRUSTED, true);
        }
    }

    @Test
    void rdma_whereTransferIsProtected_isNotServed() {
        Configuration conf = cluster.datanode(0).getConf();
        conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
        try {
            VerbsServing.Served served = VerbsServing.serve(
                    cluster.datanode(0), new BlockTokens(cluster.datanode(0)), 16, new MetricRegistry());
            assertThat(served.extents()).isNull();
            assertThat(served.oneSided().where()).isEmpty();
            assertThat(served.trouble()).contains(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY);
        } finally {
            conf.unset(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY);
        }
    }

    /** It is told where DataNodes of its host would be met, and there is none. */
    @Test
    void read_whereTheHostHasNoDataNode_comesOverTcp() throws Exception {
        Path file = pinned("elsewhere", BYTES);
        client.awaitGranted(file, BYTES);
        Configuration conf = configuration();
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                Files.createTempDirectory(cluster.scratch(), "elsewhere").toString());
        long withoutDataNode = ClientMetrics.value(Metric.CLIENT_FALLBACK_NO_DATANODE);
        long before = OtherHostClient.bytes();
        try (FileSystem elsewhere = FileSystem.newInstance(cluster.cluster().getURI(), conf);
                FSDataInputStream in = elsewhere.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("elsewhere", BYTES));
        }
        assertThat(OtherHostClient.bytes() - before).isEqualTo(BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_FALLBACK_NO_DATANODE)).isGreaterThan(withoutDataNode);
    }

    @Test
    void positionalReads_byCost_tryStockNowAndThen_withTheSameBytes() throws Exception {
        Path file = pinned("by cost", BYTES);
        client.awaitGranted(file, BYTES);
        Configuration conf = configuration();
        conf.set("terrace.client.remote.choice", "cost");
        byte[] expected = TerraceCluster.contents("by cost", BYTES);
        long preferred = ClientMetrics.value(Metric.CLIENT_FS_STOCK_PREFERRED);
        long before = OtherHostClient.bytes();
        byte[] buffer = new byte[1000];
        try (FileSystem byCost = FileSystem.newInstance(cluster.cluster().getURI(), conf);
                FSDataInputStream in = byCost.open(file)) {
            for (int i = 0; i < 100; i++) {
                in.readFully(i * 100, buffer);
                assertThat(buffer).isEqualTo(Arrays.copyOfRange(expected, i * 100, i * 100 + buffer.length));
            }
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_FS_STOCK_PREFERRED)).isGreaterThan(preferred);
        assertThat(OtherHostClient.bytes()).isGreaterThan(before);
    }

    @Test
    void choice_thatIsNeither_isSaid_andStockReads() throws Exception {
        Path file = pinned("wrong choice", BYTES);
        Configuration conf = configuration();
        conf.set("terrace.client.remote.choice", "fastest");
        long before = ClientMetrics.value(Metric.CLIENT_FALLBACK_SETTINGS);
        try (FileSystem wrong = FileSystem.newInstance(cluster.cluster().getURI(), conf);
                FSDataInputStream in = wrong.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("wrong choice", BYTES));
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_FALLBACK_SETTINGS)).isGreaterThan(before);
    }

    /** HBase has checksums of its own, and opens its store files like this. */
    @Test
    void read_withoutChecksums_comesOverTcpToo() throws Exception {
        Path file = pinned("unchecked", BYTES);
        client.awaitGranted(file, BYTES);
        try (FileSystem unchecked = FileSystem.newInstance(cluster.cluster().getURI(), configuration())) {
            unchecked.setVerifyChecksum(false);
            long before = OtherHostClient.bytes();
            try (FSDataInputStream in = unchecked.open(file)) {
                assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("unchecked", BYTES));
            }
            assertThat(OtherHostClient.bytes() - before).isEqualTo(BYTES);
        }
    }

    @Test
    void read_anywhereByManyThreads_givesTheFilesBytes() throws Exception {
        Path file = pinned("positional", BYTES);
        client.awaitGranted(file, BYTES);
        byte[] contents = TerraceCluster.contents("positional", BYTES);
        long seed = System.nanoTime();
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        long before = OtherHostClient.bytes();
        try (FSDataInputStream shared = client.fs().open(file)) {
            List<Thread> readers = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                Random random = new Random(seed + reader);
                readers.add(new Thread(() -> {
                    try (FSDataInputStream own = client.fs().open(file)) {
                        for (int i = 0; i < 100; i++) {
                            byte[] buffer = new byte[1 + random.nextInt(i % 10 == 0 ? 1 << 21 : 20_000)];
                            int at = random.nextInt(BYTES - buffer.length);
                            if (i % 3 == 0) {
                                own.seek(at);
                                own.readFully(buffer);
                            } else {
                                shared.readFully(at, buffer);
                            }
                            assertThat(java.util.Arrays.equals(
                                            buffer, 0, buffer.length, contents, at, at + buffer.length))
                                    .as("seed %d, %d bytes at %d", seed, buffer.length, at)
                                    .isTrue();
                        }
                    } catch (Throwable e) {
                        wrong.set(e);
                    }
                }));
            }
            readers.forEach(Thread::start);
            for (Thread reader : readers) {
                reader.join(60_000);
                assertThat(reader.isAlive()).isFalse();
            }
        }
        assertThat(wrong.get()).isNull();
        assertThat(OtherHostClient.bytes()).isGreaterThan(before);
    }

    @Test
    void read_acrossEviction_goesOnWithStock() throws Exception {
        Path file = cluster.write("evicted", BYTES, 2);
        long directive = cluster.pin(file, 1);
        BlockKey first = cluster.key(file, 0);
        await().atMost(Duration.ofSeconds(20)).until(() -> resident(0, first) || resident(1, first));
        byte[] contents = TerraceCluster.contents("evicted", BYTES);
        try (FSDataInputStream in = client.fs().open(file)) {
            byte[] head = new byte[1000];
            in.readFully(head);
            cluster.fs().removeCacheDirective(directive);
            cluster.awaitGone(0, first);
            cluster.awaitGone(1, first);
            assertThat(in.readAllBytes()).isEqualTo(java.util.Arrays.copyOfRange(contents, 1000, BYTES));
        }
    }

    @Test
    void read_whenTheChannelEnds_goesOnWithStock_andNoDataNodeIsDead() throws Exception {
        Path file = pinned("cut", BYTES);
        client.awaitGranted(file, BYTES);
        try (FSDataInputStream in = client.fs().open(file)) {
            byte[] head = new byte[1000];
            in.readFully(head);
            cluster.stopPlugin(0);
            cluster.stopPlugin(1);
            try {
                byte[] rest = in.readAllBytes();
                assertThat(rest)
                        .isEqualTo(java.util.Arrays.copyOfRange(TerraceCluster.contents("cut", BYTES), 1000, BYTES));
                DatanodeInfo current = ((HdfsDataInputStream) in).getCurrentDatanode();
                // A stream that had put it on its dead list would have gone to the other one, and then waited.
                assertThat(current).isNotNull();
                in.readFully(0, head);
            } finally {
                cluster.startPlugin(0);
                cluster.startPlugin(1);
            }
        }
    }

    @Test
    void read_whenOneOfSeveralConnectionsEnds_goesOnWithStock_andOthersGoOnFromMemory() throws Exception {
        int bytes = TerraceCluster.BLOCK_BYTES;
        // One replica: the other DataNode is not behind the proxy.
        Path file = cluster.write("lanes", bytes, 1);
        byte[] contents = TerraceCluster.contents("lanes", bytes);
        cluster.pin(file, 1);
        int transferPort = cluster.located(file, 0).getLocations()[0].getXferPort();
        try (CuttableProxy proxy = new CuttableProxy(transferPort + OUT_OF_EPHEMERAL_PORTS)) {
            Configuration conf = configuration();
            conf.setInt(OFFSET, proxy.port() - transferPort);
            try (FileSystem fs = FileSystem.newInstance(cluster.cluster().getURI(), conf);
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
    void read_whereTheChannelIsSilent_costsOneDeadline() throws Exception {
        Path file = cluster.write("silent", BYTES, 1);
        // A channel of its own settings, so that nothing is connected yet; its port answers nothing.
        int transferPort = cluster.located(file, 0).getLocations()[0].getXferPort();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Configuration conf = configuration();
            conf.setInt(OFFSET, silent.getLocalPort() - transferPort);
            conf.set("terrace.client.tcp.connect.timeout", "300ms");
            long unreachable = ClientMetrics.value(Metric.CLIENT_REMOTE_UNREACHABLE);
            try (FileSystem fs = FileSystem.newInstance(cluster.cluster().getURI(), conf)) {
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

    @Test
    void read_hedged_works() throws Exception {
        Path file = pinned("hedged", BYTES);
        client.awaitGranted(file, BYTES);
        Configuration conf = configuration();
        conf.setInt("dfs.client.hedged.read.threadpool.size", 4);
        conf.setLong("dfs.client.hedged.read.threshold.millis", 1);
        byte[] contents = TerraceCluster.contents("hedged", BYTES);
        try (FileSystem fs = FileSystem.newInstance(cluster.cluster().getURI(), conf);
                FSDataInputStream in = fs.open(file)) {
            byte[] buffer = new byte[100_000];
            for (int at = 0; at + buffer.length < BYTES; at += buffer.length) {
                in.readFully(at, buffer);
                assertThat(buffer).isEqualTo(java.util.Arrays.copyOfRange(contents, at, at + buffer.length));
            }
        }
    }

    @Test
    void read_afterAppend_seesTheNewBytes() throws Exception {
        int bytes = 300_000;
        Path file = pinned("appended", bytes);
        client.awaitGranted(file, bytes);
        try (FSDataOutputStream out = client.fs().append(file)) {
            out.write(TerraceCluster.contents("more", 1000));
        }
        byte[] all = client.read(file);
        assertThat(all).hasSize(bytes + 1000).startsWith(TerraceCluster.contents("appended", bytes));
        assertThat(all).endsWith(TerraceCluster.contents("more", 1000));
    }

    @Test
    void open_withProtectedTransfer_leavesTheChannelAlone() throws Exception {
        Configuration conf = configuration();
        conf.set("dfs.data.transfer.protection", "privacy");
        long before = ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED);
        FileSystem.newInstance(cluster.cluster().getURI(), conf).close();
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED)).isEqualTo(before + 1);
    }
}
