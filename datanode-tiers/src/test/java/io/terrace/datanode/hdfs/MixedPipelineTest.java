package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files of three replicas, one of them at a DataNode that has no channel: stock's stream takes over. */
@Tag("cluster")
@Timeout(120)
class MixedPipelineTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final int SOCKET_TIMEOUT_MS = 6_000;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private Configuration conf;
    private TerraceCluster cluster;
    private DistributedFileSystem client;

    @BeforeEach
    void start() throws IOException {
        System.out.println("seed " + seed);
        conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("dfs.client.socket-timeout", SOCKET_TIMEOUT_MS);
        cluster = TerraceCluster.start(3, conf);
        Configuration clientConf = new Configuration(cluster.cluster().getConfiguration(0));
        clientConf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        clientConf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        clientConf.setBoolean(TerraceSettings.CLIENT_LOCAL.key(), false);
        clientConf.set("dfs.client.block.write.replace-datanode-on-failure.policy", "ALWAYS");
        client =
                (DistributedFileSystem) FileSystem.newInstance(cluster.cluster().getURI(), clientConf);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        cluster.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    @Test
    void oneWithoutChannel_fromTheBeginning_stockWrites() throws IOException {
        cluster.stopPlugin(random.nextInt(3));
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        Path file = new Path("/mixed");
        byte[] written = TerraceCluster.contents("mixed", 2 * BLOCK + 700);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written);
            out.hflush();
            assertThat(pipeline(out)).hasSize(3);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - before)
                .isEqualTo(1);
    }

    /** The client has written over the channel, so that others have one; the rest of the file goes to these. */
    @Test
    void oneWithoutChannel_ofFour_isLeftOut() throws IOException {
        Path before = write("before", 700);
        cluster.cluster().startDataNodes(conf, 1, true, null, null);
        cluster.cluster().waitActive();
        long left = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        int blocks = 8;
        Path file = write("left-out", blocks * BLOCK);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - left)
                .isZero();
        String without = cluster.datanode(3).getDatanodeUuid();
        for (int i = 0; i < blocks; i++) {
            assertThat(cluster.located(file, i).getLocations()).hasSize(3).noneMatch(node -> node.getDatanodeUuid()
                    .equals(without));
        }
        // One to leave it out, and a few to learn that those of the block before cannot be left out as well.
        assertThat(added(cluster.located(before, 0), cluster.located(file, blocks - 1)))
                .isBetween(blocks + 1, blocks + 4);
    }

    /** There is no fourth one. What that costs the NameNode it costs once a minute, however many files there are. */
    @Test
    void oneWithoutChannel_ofThree_isAskedForInVainOnce() throws IOException {
        Path file = write("before", 700);
        LocatedBlock before = cluster.located(file, 0);
        cluster.stopPlugin(random.nextInt(3));
        long left = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        int files = 5;
        for (int i = 0; i < files; i++) {
            file = write("in-vain-" + i, BLOCK / 2);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - left)
                .isEqualTo(files);
        assertThat(added(before, cluster.located(file, 0))).isEqualTo(files + 2);
    }

    @Test
    void noneHasAChannel_costsTheNameNodeNothing() throws IOException {
        for (int i = 0; i < 3; i++) {
            cluster.stopPlugin(i);
        }
        Path file = new Path("/stock");
        try (FSDataOutputStream out = cluster.fs().create(file, (short) 3)) {
            out.write(1);
        }
        LocatedBlock before = cluster.located(file, 0);
        int files = 3;
        for (int i = 0; i < files; i++) {
            file = write("none-" + i, BLOCK / 2);
        }
        assertThat(added(before, cluster.located(file, 0))).isEqualTo(files);
    }

    /** Two calls are more than it would gain. */
    @Test
    void oneWithoutChannel_aSmallFile_isLeftToStock() throws IOException {
        LocatedBlock before = cluster.located(write("before", 700), 0);
        cluster.stopPlugin(random.nextInt(3));
        assertThat(added(before, cluster.located(write("small", 700), 0))).isEqualTo(1);
    }

    private Path write(String name, int bytes) throws IOException {
        Path file = new Path("/" + name);
        byte[] written = TerraceCluster.contents(name, bytes);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        // A file is closed when one of them is known.
        await().atMost(WritesCluster.PATIENCE)
                .untilAsserted(() ->
                        assertThat(cluster.located(file, 0).getLocations()).hasSize(3));
        return file;
    }

    /** How many blocks the NameNode has added after another one, also those that were given back: it numbers them. */
    private static int added(LocatedBlock after, LocatedBlock last) {
        return (int) (last.getBlock().getBlockId() - after.getBlock().getBlockId());
    }

    /** It accepts connections and closes them: none of the DataNodes is at fault, wherever it is in the pipeline. */
    @Test
    void oneThatTakesNoMoreWrites_stockWrites_withAllThree() throws IOException {
        cluster.stopPlugin(1);
        cluster.datanode(1).getConf().set(TerraceSettings.DATANODE_WRITE_CONNECTIONS_MAX.key(), "0");
        cluster.startPlugin(1);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        int files = 8;
        for (int i = 0; i < files; i++) {
            Path file = new Path("/reads-only-" + i);
            // Whole blocks, and others.
            byte[] written = TerraceCluster.contents("reads-only-" + i, i % 2 == 0 ? 1_000 : 300_000);
            try (FSDataOutputStream out = client.create(file, (short) 3)) {
                out.write(written);
                if (i % 2 != 0) {
                    out.hflush();
                    assertThat(pipeline(out)).hasSize(3);
                }
            }
            assertThat(cluster.read(file)).isEqualTo(written);
            // A file is closed when one of them is known.
            await().atMost(WritesCluster.PATIENCE)
                    .untilAsserted(() ->
                            assertThat(cluster.located(file, 0).getLocations()).hasSize(3));
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - before)
                .isEqualTo(files);
    }

    /** The NameNode has no other in place of the one that goes. */
    @Test
    void oneWithoutChannel_joinsWithinTheBlock_stockGoesOn() throws IOException {
        int acknowledged = random.nextBoolean() ? 512 : 1 + random.nextInt(BLOCK - 2);
        Path file = new Path("/joined");
        byte[] written = TerraceCluster.contents("joined", 2 * BLOCK + 700);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, acknowledged);
            out.hflush();
            cluster.cluster().startDataNodes(conf, 1, true, null, null);
            cluster.cluster().waitActive();
            stop(pipeline(out)[random.nextInt(3)]);
            int more = acknowledged + random.nextInt(BLOCK);
            out.write(written, acknowledged, more - acknowledged);
            out.hflush();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, more));
            out.write(written, more, written.length - more);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(cluster.located(file, 0).getLocations()).hasSize(3);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - before)
                .isEqualTo(1);
    }

    /** What its DataNodes lack has no data: a flush of what was flushed, and the block's end. */
    @Test
    void oneWithoutChannel_joinsAtTheBlocksEnd_stockEndsIt() throws Exception {
        Path file = new Path("/ended");
        byte[] written = TerraceCluster.contents("ended", 700 + BLOCK);
        CountDownLatch over = new CountDownLatch(1);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 700);
            out.hflush();
            cluster.cluster().startDataNodes(conf, 1, true, null, null);
            cluster.cluster().waitActive();
            DatanodeInfo held = pipeline(out)[random.nextInt(3)];
            DataNodeFaultInjector.set(new DataNodeFaultInjector() {
                @Override
                public void delay() {
                    if (Thread.currentThread().getName().startsWith("terrace-write-" + held.getDatanodeUuid())) {
                        awaitUnlessInterrupted(over);
                    }
                }
            });
            FutureTask<Void> flush = waiting(out::hsync);
            FutureTask<Void> end =
                    waiting(() -> ((DFSOutputStream) out.getWrappedStream()).hsync(EnumSet.of(SyncFlag.END_BLOCK)));
            long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
            FutureTask<Void> stops = task(() -> stop(held));
            new Thread(stops).start();
            await().atMost(WritesCluster.PATIENCE)
                    .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) > recoveries);
            over.countDown();
            stops.get();
            flush.get();
            end.get();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, 700));
            out.write(written, 700, written.length - 700);
        } finally {
            DataNodeFaultInjector.set(new DataNodeFaultInjector());
            over.countDown();
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(cluster.located(file, 0).getBlockSize()).isEqualTo(700);
    }

    /** Another thread writes on while the end of a block is waited for: that block ends early, and no other. */
    @Test
    void oneWithoutChannel_joinsBeforeTheBlocksEnd_stockEndsNoOther() throws Exception {
        Path file = new Path("/ended-once");
        byte[] written = TerraceCluster.contents("ended-once", 700 + BLOCK);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 300);
            out.hflush();
            cluster.cluster().startDataNodes(conf, 1, true, null, null);
            cluster.cluster().waitActive();
            DatanodeInfo first = pipeline(out)[0];
            HeldDataNode held = new HeldDataNode(first);
            DataNodeFaultInjector.set(held);
            try {
                out.write(written, 300, 400);
                FutureTask<Void> end =
                        waiting(() -> ((DFSOutputStream) out.getWrappedStream()).hsync(EnumSet.of(SyncFlag.END_BLOCK)));
                out.write(written, 700, 100);
                // Else the next block may go to it while it stops, and not to the one that joins.
                DataNodeTestUtils.setHeartbeatsDisabledForTests(datanode(first), true);
                cluster.cluster().setDataNodeDead(first);
                long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
                FutureTask<Void> stops = task(() -> stop(first));
                new Thread(stops).start();
                await().atMost(WritesCluster.PATIENCE)
                        .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) > recoveries);
                held.end();
                stops.get();
                end.get();
            } finally {
                held.end();
            }
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, 800));
            // By the one that joined: the block that ended, and what there is of the next one.
            DataNode joined = cluster.datanode(cluster.cluster().getDataNodes().size() - 1);
            ObjectName itsMetrics = new ObjectName(
                    "Hadoop:service=DataNode,name=" + joined.getMetrics().name());
            await().atMost(WritesCluster.PATIENCE).untilAsserted(() -> assertThat(
                            (long) ManagementFactory.getPlatformMBeanServer().getAttribute(itsMetrics, "FsyncCount"))
                    .isGreaterThanOrEqualTo(2));
            out.write(written, 800, written.length - 800);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(cluster.located(file, 0).getBlockSize()).isEqualTo(700);
        assertThat(cluster.located(file, 1).getBlockSize()).isEqualTo(BLOCK);
    }

    private interface Call {
        void run() throws IOException;
    }

    private static FutureTask<Void> task(Call call) {
        return new FutureTask<>(() -> {
            call.run();
            return null;
        });
    }

    /** Runs a call that waits for acknowledgements on another thread, and returns once it does. */
    private static FutureTask<Void> waiting(Call call) {
        FutureTask<Void> task = task(call);
        Thread thread = new Thread(task);
        thread.start();
        await().atMost(WritesCluster.PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }

    private static void awaitUnlessInterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nobody calls the stream for longer than a DataNode waits for its client. */
    @Test
    void oneWithoutChannel_joinsWithinTheBlock_stockKeepsItsPipeline() throws Exception {
        Path file = new Path("/paused");
        byte[] written = TerraceCluster.contents("paused", BLOCK + 700);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            cluster.cluster().startDataNodes(conf, 1, true, null, null);
            cluster.cluster().waitActive();
            stop(pipeline(out)[random.nextInt(3)]);
            await().atMost(WritesCluster.PATIENCE)
                    .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) > before);
            DatanodeInfo[] set = pipeline(out);
            Thread.sleep(2L * SOCKET_TIMEOUT_MS);
            out.write(written, 1_000, 1_000);
            out.hflush();
            assertThat(pipeline(out)).hasSize(3).isEqualTo(set);
            out.write(written, 2_000, written.length - 2_000);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
    }

    private static DatanodeInfo[] pipeline(FSDataOutputStream out) {
        return ((DFSOutputStream) out.getWrappedStream()).getPipeline();
    }

    private void stop(DatanodeInfo node) {
        int index = cluster.cluster().getDataNodes().indexOf(datanode(node));
        cluster.stopPlugin(index);
        cluster.cluster().stopDataNode(index);
    }

    private DataNode datanode(DatanodeInfo node) {
        return cluster.cluster().getDataNodes().stream()
                .filter(datanode -> datanode.getDatanodeUuid().equals(node.getDatanodeUuid()))
                .findFirst()
                .orElseThrow(() -> new AssertionError(node + " does not run"));
    }
}
