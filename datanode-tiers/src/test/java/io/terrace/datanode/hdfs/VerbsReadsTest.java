package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.BlockKey;
import io.terrace.channel.verbs.VerbsExtents;
import io.terrace.channel.verbs.VerbsLimits;
import io.terrace.client.ClientFigures;
import io.terrace.datanode.DataNodeSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Figure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * From end to end by RDMA: a NameNode, a DataNode with block tokens, and an HDFS client that reads what is in memory with
 * RDMA READ. Skipped where there is no device; {@code bin/terrace test verbs} brings one up.
 */
@EnabledIf(value = "hasDevice", disabledReason = "no RDMA verbs here; bin/terrace test verbs brings a device up")
class VerbsReadsTest {
    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;

    private static TerraceCluster cluster;
    private static FileSystem client;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsTest.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("terrace.channel.verbs.port.offset", RemoteReadsTest.OUT_OF_EPHEMERAL_PORTS + 1);
        conf.set("terrace.channel.verbs.registered.max", "32m");
        // On all of the host's networks: transfer on loopback, RDMA on the device's.
        conf.set(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, TerraceCluster.ANY_ADDRESS);
        conf.set(DFSConfigKeys.DFS_DATANODE_HTTP_ADDRESS_KEY, "127.0.0.1:0");
        conf.set(DFSConfigKeys.DFS_DATANODE_IPC_ADDRESS_KEY, "127.0.0.1:0");
        cluster = TerraceCluster.start(1, conf);
        client = FileSystem.newInstance(cluster.cluster().getURI(), remote());
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            client.close();
            cluster.close();
        }
    }

    static boolean hasDevice() {
        InetSocketAddress anywhere = new InetSocketAddress("0.0.0.0", 19_999);
        try (VerbsExtents probe = VerbsExtents.open(anywhere, VerbsLimits.DEFAULT, false)) {
            return !probe.where().isEmpty();
        } catch (IOException | LinkageError e) {
            return false;
        }
    }

    private static Configuration remote() throws IOException {
        Configuration conf = new Configuration(cluster.fs().getConf());
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.unset(DataNodeSettings.CHANNEL_DIR);
        // The processor of the guest is emulated.
        conf.set("terrace.client.tcp.timeout", "10s");
        conf.set("terrace.client.tcp.connect.timeout", "10s");
        return conf;
    }

    private static long figure(Figure figure) {
        return ClientFigures.value(figure);
    }

    private static Path pinned(String name) throws IOException {
        Path file = cluster.write(name, BYTES, 1);
        cluster.pin(file, 1);
        for (int block = 0; block * TerraceCluster.BLOCK_BYTES < BYTES; block++) {
            BlockKey key = cluster.key(file, block);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> cluster.service(0).tier().isResident(key));
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            long before = figure(Figure.CLIENT_REMOTE_BYTES);
            all(file);
            return figure(Figure.CLIENT_REMOTE_BYTES) - before >= BYTES;
        });
        return file;
    }

    private static byte[] all(Path file) throws IOException {
        try (FSDataInputStream in = client.open(file)) {
            return in.readAllBytes();
        }
    }

    @Test
    void read_ofResidentBlocks_comesByRdma_isVerified_andIsAccounted() throws Exception {
        Path file = pinned("sequential");
        byte[] contents = TerraceCluster.contents("sequential", BYTES);
        long byRdma = figure(Figure.CLIENT_VERBS_BYTES);
        long remote = figure(Figure.CLIENT_REMOTE_BYTES);
        long served = cluster.figure(0, Figure.READS_GRANTED_BYTES);
        long steppedDown = figure(Figure.CLIENT_VERBS_STEPPED_DOWN);
        assertThat(all(file)).isEqualTo(contents);
        Random random = new Random(7);
        try (FSDataInputStream in = client.open(file)) {
            byte[] page = new byte[4096];
            for (int i = 0; i < 200; i++) {
                int at = random.nextInt(BYTES - page.length);
                in.readFully(at, page);
                assertThat(page).isEqualTo(Arrays.copyOfRange(contents, at, at + page.length));
            }
        }
        assertThat(figure(Figure.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(steppedDown);
        long read = figure(Figure.CLIENT_REMOTE_BYTES) - remote;
        System.out.println("figure e2e.rdma.bytes " + (figure(Figure.CLIENT_VERBS_BYTES) - byRdma) + " of " + read);
        assertThat(read).isGreaterThanOrEqualTo(BYTES);
        // All of what came from memory came by RDMA; what was read ahead and not used counts too.
        assertThat(figure(Figure.CLIENT_VERBS_BYTES) - byRdma).isGreaterThanOrEqualTo(read);
        assertThat(cluster.figure(0, Figure.CHANNEL_VERBS_EXTENTS)).isGreaterThanOrEqualTo(4);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            try (FSDataInputStream in = client.open(file)) {
                in.readFully(0, new byte[10]);
            }
            return cluster.figure(0, Figure.READS_GRANTED_BYTES) - served >= BYTES;
        });
    }

    @Test
    void evictedWhileItIsRead_givesTheFilesBytes_andIsDeregistered() throws Exception {
        Path file = pinned("evicted");
        byte[] contents = TerraceCluster.contents("evicted", BYTES);
        long extents = cluster.figure(0, Figure.CHANNEL_VERBS_EXTENTS);
        assertThat(extents).isGreaterThanOrEqualTo(4);
        try (FSDataInputStream in = client.open(file)) {
            byte[] page = new byte[10_000];
            for (int i = 0; i < 100; i++) {
                if (i == 30) {
                    cluster.service(0).tier().serve(cluster.key(file, 0).pool(), false, System.nanoTime());
                }
                int at = i * 31_000;
                in.readFully(at, page);
                assertThat(page).isEqualTo(Arrays.copyOfRange(contents, at, at + page.length));
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> cluster.figure(0, Figure.CHANNEL_VERBS_EXTENTS) == 0);
        assertThat(cluster.figure(0, Figure.CHANNEL_VERBS_EXTENT_BYTES)).isZero();
        cluster.service(0).tier().serve(cluster.key(file, 0).pool(), true, System.nanoTime());
        assertThat(all(file)).isEqualTo(contents);
    }
}
