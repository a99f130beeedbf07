package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that do not see the memory of the DataNodes' host, as on another host or in a container: two DataNodes with
 * block tokens, read through the FileSystem class and the tcp channel.
 */
@Tag("cluster")
class RemoteReadsTest {

    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;

    @RegisterExtension
    static final RemoteReadsCluster remote = new RemoteReadsCluster();

    @Test
    void read_ofResidentBlocks_comesOverTcp_andIsAccounted() throws Exception {
        Path file = remote.pinned("sequential", BYTES);
        remote.client.awaitGranted(file, BYTES);
        long served = remote.cluster.figure(0, Metric.READS_GRANTED_BYTES)
                + remote.cluster.figure(1, Metric.READS_GRANTED_BYTES);
        long steppedDown = ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN);
        assertThat(remote.client.read(file)).isEqualTo(TerraceCluster.contents("sequential", BYTES));
        assertThat(ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN)).isEqualTo(steppedDown);
        await().atMost(Duration.ofSeconds(5))
                .until(() -> remote.cluster.figure(0, Metric.READS_GRANTED_BYTES)
                                + remote.cluster.figure(1, Metric.READS_GRANTED_BYTES)
                        >= served + BYTES);
    }

    /** Where Hadoop keeps those of any FileSystem: by its own class, and once among all of the scheme. */
    @Test
    @SuppressWarnings("deprecation") // What MapReduce and Hadoop's tests ask.
    void statistics_countWhatCameOverTcp() throws Exception {
        Path file = remote.pinned("counted", BYTES);
        remote.client.awaitGranted(file, BYTES);
        FileSystem.Statistics ofClass = FileSystem.getStatistics("hdfs", TerraceFileSystem.class);
        long byClass = ofClass.getBytesRead();
        long ofThisHost = ofClass.getBytesReadByDistance(0);
        long all = bytesReadOfAllClasses();
        long before = OtherHostClient.bytes();
        remote.client.read(file);
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
        assertThat(remote.cluster.service(0).rdmaProblem()).isNotEmpty();
        Path file = remote.pinned("without rdma", BYTES);
        remote.client.awaitGranted(file, BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_VERBS_READS)).isZero();
        assertThat(ClientMetrics.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isZero();
    }

    /** A card checks no token. */
    @Test
    void rdma_whereTokensAreOnAndTheNetworkIsNotTrusted_isNotServed() {
        Configuration conf = remote.cluster.datanode(0).getConf();
        conf.setBoolean(RemoteReadsCluster.TRUSTED, false);
        try {
            VerbsServing.Served served = VerbsServing.serve(
                    remote.cluster.datanode(0), new BlockTokens(remote.cluster.datanode(0)), 16, new MetricRegistry());
            assertThat(served.extents()).isNull();
            assertThat(served.oneSided().where()).isEmpty();
            assertThat(served.problem()).contains("block tokens").contains(RemoteReadsCluster.TRUSTED);
        } finally {
            conf.setBoolean(RemoteReadsCluster.TRUSTED, true);
        }
    }

    @Test
    void rdma_whereTransferIsProtected_isNotServed() {
        Configuration conf = remote.cluster.datanode(0).getConf();
        conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
        try {
            VerbsServing.Served served = VerbsServing.serve(
                    remote.cluster.datanode(0), new BlockTokens(remote.cluster.datanode(0)), 16, new MetricRegistry());
            assertThat(served.extents()).isNull();
            assertThat(served.oneSided().where()).isEmpty();
            assertThat(served.problem()).contains(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY);
        } finally {
            conf.unset(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY);
        }
    }

    /** It is told where DataNodes of its host would be met, and there is none. */
    @Test
    void read_whereTheHostHasNoDataNode_comesOverTcp() throws Exception {
        Path file = remote.pinned("elsewhere", BYTES);
        remote.client.awaitGranted(file, BYTES);
        Configuration conf = remote.configuration();
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                Files.createTempDirectory(remote.cluster.scratch(), "elsewhere").toString());
        long withoutDataNode = ClientMetrics.value(Metric.CLIENT_FALLBACK_NO_DATANODE);
        long before = OtherHostClient.bytes();
        try (FileSystem elsewhere =
                        FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
                FSDataInputStream in = elsewhere.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("elsewhere", BYTES));
        }
        assertThat(OtherHostClient.bytes() - before).isEqualTo(BYTES);
        assertThat(ClientMetrics.value(Metric.CLIENT_FALLBACK_NO_DATANODE)).isGreaterThan(withoutDataNode);
    }

    @Test
    void positionalReads_byCost_tryStockNowAndThen_withTheSameBytes() throws Exception {
        Path file = remote.pinned("by cost", BYTES);
        remote.client.awaitGranted(file, BYTES);
        Configuration conf = remote.configuration();
        conf.set("terrace.client.remote.choice", "cost");
        byte[] expected = TerraceCluster.contents("by cost", BYTES);
        long preferred = ClientMetrics.value(Metric.CLIENT_FS_STOCK_PREFERRED);
        long before = OtherHostClient.bytes();
        byte[] buffer = new byte[1000];
        try (FileSystem byCost = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
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
        Path file = remote.pinned("wrong choice", BYTES);
        Configuration conf = remote.configuration();
        conf.set("terrace.client.remote.choice", "fastest");
        long before = ClientMetrics.value(Metric.CLIENT_FALLBACK_SETTINGS);
        try (FileSystem wrong = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
                FSDataInputStream in = wrong.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("wrong choice", BYTES));
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_FALLBACK_SETTINGS)).isGreaterThan(before);
    }

    /** HBase has checksums of its own, and opens its store files like this. */
    @Test
    void read_withoutChecksums_comesOverTcpToo() throws Exception {
        Path file = remote.pinned("unchecked", BYTES);
        remote.client.awaitGranted(file, BYTES);
        try (FileSystem unchecked =
                FileSystem.newInstance(remote.cluster.cluster().getURI(), remote.configuration())) {
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
        Path file = remote.pinned("positional", BYTES);
        remote.client.awaitGranted(file, BYTES);
        byte[] contents = TerraceCluster.contents("positional", BYTES);
        long seed = System.nanoTime();
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        long before = OtherHostClient.bytes();
        try (FSDataInputStream shared = remote.client.fs().open(file)) {
            List<Thread> readers = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                Random random = new Random(seed + reader);
                readers.add(new Thread(() -> {
                    try (FSDataInputStream own = remote.client.fs().open(file)) {
                        for (int i = 0; i < 100; i++) {
                            byte[] buffer = new byte[1 + random.nextInt(i % 10 == 0 ? 1 << 21 : 20_000)];
                            int at = random.nextInt(BYTES - buffer.length);
                            if (i % 3 == 0) {
                                own.seek(at);
                                own.readFully(buffer);
                            } else {
                                shared.readFully(at, buffer);
                            }
                            assertThat(Arrays.equals(buffer, 0, buffer.length, contents, at, at + buffer.length))
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
    void read_hedged_works() throws Exception {
        Path file = remote.pinned("hedged", BYTES);
        remote.client.awaitGranted(file, BYTES);
        Configuration conf = remote.configuration();
        conf.setInt("dfs.client.hedged.read.threadpool.size", 4);
        conf.setLong("dfs.client.hedged.read.threshold.millis", 1);
        byte[] contents = TerraceCluster.contents("hedged", BYTES);
        try (FileSystem fs = FileSystem.newInstance(remote.cluster.cluster().getURI(), conf);
                FSDataInputStream in = fs.open(file)) {
            byte[] buffer = new byte[100_000];
            for (int at = 0; at + buffer.length < BYTES; at += buffer.length) {
                in.readFully(at, buffer);
                assertThat(buffer).isEqualTo(Arrays.copyOfRange(contents, at, at + buffer.length));
            }
        }
    }

    @Test
    void read_afterAppend_seesTheNewBytes() throws Exception {
        int bytes = 300_000;
        Path file = remote.pinned("appended", bytes);
        remote.client.awaitGranted(file, bytes);
        try (FSDataOutputStream out = remote.client.fs().append(file)) {
            out.write(TerraceCluster.contents("more", 1000));
        }
        byte[] all = remote.client.read(file);
        assertThat(all).hasSize(bytes + 1000).startsWith(TerraceCluster.contents("appended", bytes));
        assertThat(all).endsWith(TerraceCluster.contents("more", 1000));
    }

    @Test
    void open_withProtectedTransfer_leavesTheChannelAlone() throws Exception {
        Configuration conf = remote.configuration();
        conf.set("dfs.data.transfer.protection", "privacy");
        long before = ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED);
        FileSystem.newInstance(remote.cluster.cluster().getURI(), conf).close();
        assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_ENCRYPTED)).isEqualTo(before + 1);
    }
}
