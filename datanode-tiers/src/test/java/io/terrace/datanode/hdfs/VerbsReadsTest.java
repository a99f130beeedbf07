package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.terrace.channel.verbs.ExtentRegistry;
import io.terrace.channel.verbs.VerbsLimits;
import io.terrace.channel.verbs.VerbsOptions;
import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * From end to end by RDMA: a NameNode, a DataNode with block tokens, and an HDFS client that reads what is in memory with
 * RDMA READ. Skipped where there is no device; {@code bin/terrace test verbs} brings one up.
 */
@Tag("cluster")
@EnabledIf(value = "hasDevice", disabledReason = "no RDMA verbs here; bin/terrace test verbs brings a device up")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class VerbsReadsTest {
    private static final int BYTES = 3 * TerraceCluster.BLOCK_BYTES + 4321;
    private static final int PAGE = 4096;
    private static final int SMALL_READS = 50;

    /** What may be registered, less than all files of these tests together. */
    private static final int REGISTERED_MAX = 10 << 20;

    /** The processor of the guest is emulated. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static TerraceCluster cluster;
    private static OtherHostClient client;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("terrace.channel.verbs.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS + 1);
        conf.setBoolean("terrace.channel.verbs.trusted-network", true);
        conf.set("terrace.channel.verbs.registered.max", String.valueOf(REGISTERED_MAX));
        // On all of the host's networks: transfer on loopback, RDMA on the device's.
        conf.set(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, TerraceCluster.ANY_ADDRESS);
        conf.set(DFSConfigKeys.DFS_DATANODE_HTTP_ADDRESS_KEY, "127.0.0.1:0");
        conf.set(DFSConfigKeys.DFS_DATANODE_IPC_ADDRESS_KEY, "127.0.0.1:0");
        // Asking the system forks a process, which takes an emulated guest many seconds.
        conf.set("hadoop.user.group.static.mapping.overrides", System.getProperty("user.name") + "=users");
        cluster = TerraceCluster.start(1, conf, StorageType.NVDIMM, StorageType.DISK);
        cluster.fs().mkdirs(new Path("/nvm"));
        cluster.fs().setStoragePolicy(new Path("/nvm"), "ALL_NVDIMM");
        client = OtherHostClient.of(cluster, Duration.ofSeconds(10));
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
        try (ExtentRegistry probe =
                ExtentRegistry.open(anywhere, VerbsLimits.DEFAULT, VerbsOptions.DEFAULT, () -> {})) {
            return !probe.where().isEmpty();
        } catch (IOException | LinkageError e) {
            return false;
        }
    }

    private static long figure(Metric metric) {
        return ClientMetrics.value(metric);
    }

    private static Path pinned(String name, int bytes) throws IOException {
        return pinned(name, bytes, 1);
    }

    /** All of it is in memory once and the client knows. */
    private static Path pinned(String name, int bytes, int replication) throws IOException {
        Path file = cluster.write(name, bytes, replication);
        cluster.pin(file, 1);
        client.awaitGranted(file, bytes);
        return file;
    }

    private interface Reading {
        void run() throws IOException;
    }

    /** Reads until no read has stepped down: on a busy machine the guest may stand still for longer than a read may take. */
    private static void assertAllByRdma(Reading reading) throws IOException {
        long byRdma;
        long remote;
        long steppedDown;
        int rounds = 0;
        do {
            byRdma = figure(Metric.CLIENT_VERBS_BYTES);
            remote = OtherHostClient.bytes();
            steppedDown = figure(Metric.CLIENT_VERBS_STEPPED_DOWN);
            reading.run();
        } while (figure(Metric.CLIENT_VERBS_STEPPED_DOWN) > steppedDown && ++rounds < 10);
        byRdma = figure(Metric.CLIENT_VERBS_BYTES) - byRdma;
        remote = OtherHostClient.bytes() - remote;
        System.out.println("figure e2e.rdma.bytes " + byRdma + " of " + remote + ", round " + rounds);
        assertThat(figure(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(steppedDown);
        assertThat(remote).isGreaterThanOrEqualTo(BYTES);
        // All of what came from memory came by RDMA; what was read ahead and not used counts too.
        assertThat(byRdma).isGreaterThanOrEqualTo(remote);
    }

    @Test
    @Order(1)
    void read_ofResidentBlocks_comesByRdma_isVerified_andIsAccounted() throws Exception {
        Path file = pinned("sequential", BYTES);
        byte[] contents = TerraceCluster.contents("sequential", BYTES);
        long served = cluster.figure(0, Metric.READS_GRANTED_BYTES);
        Random random = new Random(7);
        assertAllByRdma(() -> {
            assertThat(client.read(file)).isEqualTo(contents);
            try (FSDataInputStream in = client.fs().open(file)) {
                byte[] page = new byte[PAGE];
                for (int i = 0; i < 200; i++) {
                    int at = random.nextInt(BYTES - page.length);
                    in.readFully(at, page);
                    assertThat(page).isEqualTo(Arrays.copyOfRange(contents, at, at + page.length));
                }
            }
        });
        assertThat(cluster.figure(0, Metric.CHANNEL_VERBS_EXTENTS)).isGreaterThanOrEqualTo(4);
        // Nobody reads any more: what was read is told all the same.
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.READS_GRANTED_BYTES) - served >= BYTES);
    }

    @Test
    @Order(2)
    void replicaOnNvm_comesByRdma_asItIs_andItsFileStaysWhatItWas() throws Exception {
        Path file = cluster.write("nvm/replica", BYTES, 1);
        byte[] contents = TerraceCluster.contents("nvm/replica", BYTES);
        // The first reader comes by stock.
        await().atMost(PATIENCE).until(() -> {
            long before = figure(Metric.CLIENT_REMOTE_NVM_BYTES);
            assertThat(client.read(file)).isEqualTo(contents);
            return figure(Metric.CLIENT_REMOTE_NVM_BYTES) - before >= BYTES;
        });
        long extents = cluster.figure(0, Metric.CHANNEL_VERBS_EXTENTS);
        assertAllByRdma(() -> assertThat(client.read(file)).isEqualTo(contents));
        assertThat(cluster.service(0).tier().isResident(cluster.key(file, 0))).isFalse();
        // Registered by way of a writable mapping: stock reads and verifies what is on the volume.
        assertThat(cluster.read(file)).isEqualTo(contents);
        try (FSDataOutputStream out = cluster.fs().append(file)) {
            out.write(TerraceCluster.contents("more", 1000));
        }
        assertThat(client.read(file))
                .hasSize(BYTES + 1000)
                .startsWith(contents)
                .endsWith(TerraceCluster.contents("more", 1000));
        assertThat(cluster.fs().delete(file, false)).isTrue();
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.CHANNEL_VERBS_EXTENTS) <= extents - 4);
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_EXTENTS) == 0);
    }

    @Test
    @Order(3)
    void evictedWhileItIsRead_givesTheFilesBytes_andIsDeregistered() throws Exception {
        Path file = pinned("evicted", BYTES);
        byte[] contents = TerraceCluster.contents("evicted", BYTES);
        long extents = cluster.figure(0, Metric.CHANNEL_VERBS_EXTENTS);
        assertThat(extents).isGreaterThanOrEqualTo(4);
        try (FSDataInputStream in = client.fs().open(file)) {
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
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.CHANNEL_VERBS_EXTENTS) == 0);
        assertThat(cluster.figure(0, Metric.CHANNEL_VERBS_EXTENT_BYTES)).isZero();
        cluster.service(0).tier().serve(cluster.key(file, 0).pool(), true, System.nanoTime());
        assertThat(client.read(file)).isEqualTo(contents);
    }

    @Test
    @Order(4)
    void moreThanMayBeRegistered_comesOverTcp_andIsCounted() throws Exception {
        int bytes = REGISTERED_MAX + 2 * TerraceCluster.BLOCK_BYTES;
        Path file = pinned("large", bytes);
        long byRdma = figure(Metric.CLIENT_VERBS_BYTES);
        long remote = OtherHostClient.bytes();
        assertThat(client.read(file)).isEqualTo(TerraceCluster.contents("large", bytes));
        assertThat(OtherHostClient.bytes() - remote).isGreaterThanOrEqualTo(bytes);
        assertThat(figure(Metric.CLIENT_VERBS_BYTES) - byRdma).isLessThan(bytes);
        assertThat(cluster.figure(0, Metric.CHANNEL_VERBS_REFUSED)).isPositive();
        assertThat(cluster.figure(0, Metric.CHANNEL_VERBS_EXTENT_BYTES)).isLessThanOrEqualTo(REGISTERED_MAX);
    }

    @Test
    @Order(2)
    void aSmallRead_fromOpenStream_allocatesLessThanStock() throws Exception {
        Path file = new Path("/sequential");
        long byRdma = figure(Metric.CLIENT_VERBS_READS);
        long ours = allocatedPerRead(client.fs(), file);
        long reads = figure(Metric.CLIENT_VERBS_READS) - byRdma;
        long stocks = allocatedPerRead(cluster.fs(), file);
        System.out.println("figure e2e.read4k.allocated.bytes " + ours + ", " + reads + " reads by RDMA");
        System.out.println("figure e2e.stock4k.allocated.bytes " + stocks);
        assertThat(reads).isGreaterThanOrEqualTo(SMALL_READS);
        assertThat(ours).isLessThan(stocks);
    }

    private static long allocatedPerRead(FileSystem fs, Path file) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        byte[] page = new byte[PAGE];
        long before = 0;
        try (FSDataInputStream in = fs.open(file)) {
            for (int i = -SMALL_READS; i < SMALL_READS; i++) {
                if (i == 0) {
                    before = threads.getThreadAllocatedBytes(thread);
                }
                in.readFully((i & 0x3f) * (long) PAGE, page);
            }
            return (threads.getThreadAllocatedBytes(thread) - before) / SMALL_READS;
        }
    }

    /** Last: its DataNode is the only one with memory, and dead afterwards; the client has read by RDMA before. */
    @Test
    @Order(5)
    void dataNodeKilledWhileItIsRead_givesTheFilesBytes_andLeavesNothing() throws Exception {
        cluster.stopPlugin(0);
        String before = settled();
        byte[] contents = TerraceCluster.contents("killed", BYTES);
        try (OtherDataNode other = OtherDataNode.start(cluster)) {
            Path file = pinned("killed", BYTES, 2);
            assertAllByRdma(() -> assertThat(client.read(file)).isEqualTo(contents));
            assertThat(held()).isNotEqualTo(before);
            AtomicBoolean killed = new AtomicBoolean();
            ExecutorService readers = Executors.newFixedThreadPool(3);
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(readers.submit(() -> {
                    boolean right = true;
                    boolean last = false;
                    while (!last) {
                        last = killed.get();
                        right &= Arrays.equals(client.read(file), contents);
                    }
                    return right;
                }));
            }
            try (FSDataInputStream in = client.fs().open(file)) {
                byte[] bytes = new byte[BYTES];
                in.readFully(bytes, 0, BYTES / 2);
                other.kill();
                long killedNs = System.nanoTime();
                killed.set(true);
                in.readFully(bytes, BYTES / 2, BYTES - BYTES / 2);
                assertThat(bytes).isEqualTo(contents);
                for (Future<Boolean> one : all) {
                    assertThat(one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
                }
                System.out.println("DataNode killed: all readers had the rest from another after "
                        + (System.nanoTime() - killedNs) / 1_000_000 + " ms");
            } finally {
                readers.shutdownNow();
            }
            long lastByRdma = figure(Metric.CLIENT_VERBS_BYTES);
            assertThat(client.read(file)).isEqualTo(contents);
            assertThat(figure(Metric.CLIENT_VERBS_BYTES)).isEqualTo(lastByRdma);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(held()).isEqualTo(before));
        }
    }

    /** What is held when nothing comes or goes any more. */
    private static String settled() throws Exception {
        String last = held();
        while (true) {
            Thread.sleep(2000);
            String now = held();
            if (now.equals(last)) {
                return now;
            }
            last = now;
        }
    }

    /** Queue pairs, registrations and the like that all processes hold of the device, as the kernel counts them. */
    private static String held() throws IOException {
        Process tool = new ProcessBuilder("rdma", "resource", "show").start();
        // A process keeps its context until it ends; the other DataNode's is gone with it.
        return new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8).replaceAll("ctx \\d+", "");
    }
}
