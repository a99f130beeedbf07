package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClientFaultInjector;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DataNodes of a pipeline that go while a file of three replicas is written over the channel. */
@Tag("cluster")
@Timeout(300)
class WriteRecoveryTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final Duration PATIENCE = WritesCluster.PATIENCE;
    private static final String REPLACE = "dfs.client.block.write.replace-datanode-on-failure.";

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private WritesCluster writes;
    private TerraceCluster cluster;
    private DistributedFileSystem client;

    /** When a DataNode goes. */
    private enum Stage {
        BEFORE_THE_FIRST_BYTE,
        IN_THE_BLOCK,
        AFTER_HFLUSH,
        IN_HFLUSH,
        IN_CLOSE
    }

    private void start(int datanodes) throws IOException {
        start(datanodes, WritesCluster.configuration());
    }

    private void start(int datanodes, Configuration conf) throws IOException {
        System.out.println("seed " + seed);
        writes = WritesCluster.start(datanodes, conf);
        cluster = writes.cluster();
    }

    private void newClient(String... settings) throws IOException {
        if (client != null) {
            client.close();
        }
        boolean local = random.nextBoolean();
        client = writes.newClient(Stream.concat(
                        Stream.of(settings), Stream.of(TerraceSettings.CLIENT_LOCAL.key(), Boolean.toString(local)))
                .toArray(String[]::new));
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        writes.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    /** Writes a file of which a DataNode goes meanwhile; returns that DataNode, to be started again. */
    private DataNodeProperties write(Path file, byte[] written, Stage stage, int victim) throws Exception {
        int first = 1 + random.nextInt(BLOCK - 1);
        DataNodeProperties gone;
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            switch (stage) {
                case BEFORE_THE_FIRST_BYTE -> {
                    gone = cluster.cluster().stopDataNode(victim);
                    out.write(written, 0, first);
                }
                case IN_THE_BLOCK -> {
                    out.write(written, 0, BLOCK - 1);
                    gone = writes.stop(WritesCluster.pipeline(out).get(victim));
                    first = BLOCK - 1;
                }
                case AFTER_HFLUSH -> {
                    out.write(written, 0, first);
                    out.hflush();
                    gone = writes.stop(WritesCluster.pipeline(out).get(victim));
                }
                case IN_HFLUSH -> {
                    out.write(written, 0, 1);
                    out.hflush();
                    FutureTask<DataNodeProperties> stops =
                            writes.stopping(WritesCluster.pipeline(out).get(victim));
                    first = 1;
                    while (!stops.isDone() && first < BLOCK - 700) {
                        out.write(written, first, 700);
                        out.hflush();
                        first += 700;
                    }
                    gone = stops.get();
                }
                case IN_CLOSE -> {
                    out.write(written, 0, BLOCK + 1);
                    out.hflush();
                    FutureTask<DataNodeProperties> stops =
                            writes.stopping(WritesCluster.pipeline(out).get(victim));
                    out.write(written, BLOCK + 1, written.length - BLOCK - 1);
                    out.close();
                    return stops.get();
                }
                default -> throw new AssertionError(stage);
            }
            int second = first + random.nextInt(written.length - first);
            out.write(written, first, second - first);
            out.hflush();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, second));
            try (HdfsDataInputStream in = (HdfsDataInputStream) cluster.fs().open(file)) {
                assertThat(in.getVisibleLength()).isEqualTo(second);
            }
            out.write(written, second, written.length - second);
        }
        return gone;
    }

    /** The file is closed, and each DataNode that runs has either nothing of a block or all of it. */
    private void assertWhole(Path file, byte[] written, int replicas) throws IOException {
        writes.assertReads(file, written);
        for (int i = 0; i < WritesCluster.blocks(written); i++) {
            ExtendedBlock block = cluster.located(file, i).getBlock();
            assertThat(writes.replicas(block, WritesCluster.ofBlock(written, i)))
                    .as("replicas of block " + i)
                    .isGreaterThanOrEqualTo(replicas);
        }
    }

    private void everyStageAndNode(int replicas, String... settings) throws Exception {
        for (Stage stage : Stage.values()) {
            for (int victim = 0; victim < 3; victim++) {
                newClient(settings);
                Path file = new Path("/" + stage + victim);
                byte[] written = TerraceCluster.contents(file.toString(), BLOCK + 1 + random.nextInt(2 * BLOCK));
                long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
                long bytes = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
                DataNodeProperties gone = write(file, written, stage, victim);
                assertWhole(file, written, stage == Stage.IN_CLOSE ? 2 : replicas);
                assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - bytes)
                        .isEqualTo(written.length);
                if (stage == Stage.AFTER_HFLUSH) {
                    // Within a block that is not open everywhere yet, another block is asked for instead.
                    assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES))
                            .isGreaterThan(recoveries);
                }
                writes.startAgain(gone);
            }
        }
    }

    @Test
    void dataNodeGone_ofThree_goesOnWithTheOthers() throws Exception {
        start(3);
        everyStageAndNode(2, REPLACE + "policy", "NEVER");
    }

    @Test
    void dataNodeGone_ofFour_isReplaced() throws Exception {
        start(4);
        everyStageAndNode(3, REPLACE + "policy", "ALWAYS");
    }

    /** Where so few are enough, stock goes on with the block that could not be opened at all of them. */
    @Test
    void dataNodeGone_beforeTheFirstByte_keepsTheBlockAtTheOthers() throws Exception {
        start(3);
        for (int victim = 0; victim < 3; victim++) {
            newClient(REPLACE + "policy", "NEVER", REPLACE + "min-replication", "2");
            Path file = new Path("/few" + victim);
            byte[] written = TerraceCluster.contents(file.toString(), BLOCK + 700);
            cluster.write("before" + victim, 1, 1);
            long ahead = stampAhead(new Path("/before" + victim));
            DataNodeProperties gone = write(file, written, Stage.BEFORE_THE_FIRST_BYTE, victim);
            assertWhole(file, written, 2);
            // A block asked for anew would have the next number and the next stamp.
            assertThat(stampAhead(file)).isEqualTo(ahead + 1);
            writes.startAgain(gone);
        }
    }

    /** How far the stamp of a file's first block is ahead of its number, but for a constant. */
    private long stampAhead(Path file) throws IOException {
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        return block.getGenerationStamp() - block.getBlockId();
    }

    /** What it has of the block is older than what the others go on with. */
    @Test
    void dataNodeRestarted_withinABlock_goesOn() throws Exception {
        start(3);
        for (int victim = 0; victim < 3; victim++) {
            newClient(REPLACE + "policy", "NEVER");
            Path file = new Path("/restarted" + victim);
            byte[] written = TerraceCluster.contents(file.toString(), BLOCK - 1);
            int first = random.nextInt(written.length);
            try (FSDataOutputStream out = client.create(file, (short) 3)) {
                out.write(written, 0, first);
                out.hflush();
                writes.startAgain(writes.stop(WritesCluster.pipeline(out).get(victim)));
                out.write(written, first, written.length - first);
                out.hflush();
                assertThat(cluster.read(file)).isEqualTo(written);
            }
            assertWhole(file, written, 2);
        }
    }

    /** As {@code dfsadmin -shutdownDatanode HOST upgrade}: with one replica the client waits for it. */
    @Test
    void onlyDataNode_restartedForAnUpgrade_goesOn() throws Exception {
        start(1);
        newClient("dfs.client.datanode-restart.timeout", "120");
        Path file = new Path("/upgraded");
        byte[] written = TerraceCluster.contents("upgraded", 2 * BLOCK);
        int first = 1 + random.nextInt(BLOCK - 1);
        try (FSDataOutputStream out = client.create(file, (short) 1)) {
            out.write(written, 0, first);
            out.hflush();
            restartForAnUpgrade(0);
            out.write(written, first, written.length - first);
        }
        assertWhole(file, written, 1);
    }

    /** One after the other, as in a rolling upgrade: who comes back takes the place of who goes next. */
    @Test
    void dataNodesOfAPipeline_restartedForAnUpgrade_comeBack() throws Exception {
        start(4);
        newClient(REPLACE + "policy", "ALWAYS");
        Path file = new Path("/rolled");
        byte[] written = TerraceCluster.contents("rolled", BLOCK - 1);
        DFSClientFaultInjector.set(new DFSClientFaultInjector() {
            @Override
            public boolean skipRollingRestartWait() {
                return true;
            }
        });
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            int done = 0;
            for (int i = 0; i < 3; i++) {
                out.write(written, done, 700);
                out.hflush();
                done += 700;
                DatanodeInfo node = WritesCluster.pipeline(out).get(random.nextInt(3));
                restartForAnUpgrade(writes.indexOf(node));
            }
            out.write(written, done, written.length - done);
            out.hflush();
            assertThat(WritesCluster.pipeline(out)).hasSize(3);
        } finally {
            DFSClientFaultInjector.set(new DFSClientFaultInjector());
        }
        assertWhole(file, written, 3);
    }

    private void restartForAnUpgrade(int index) throws IOException {
        DataNode datanode = cluster.datanode(index);
        datanode.shutdownDatanode(true);
        await().atMost(PATIENCE).until(() -> !datanode.isDatanodeUp());
        assertThat(cluster.cluster().restartDataNode(index, true)).isTrue();
        cluster.cluster().waitActive();
        writes.awaitChannels();
    }

    @Test
    void blocksEnd_notAcknowledged_isRecoveredByItsOpening() throws Exception {
        start(3);
        newClient(REPLACE + "policy", "NEVER");
        Path file = new Path("/ended");
        byte[] written = TerraceCluster.contents("ended", BLOCK + 700);
        AtomicInteger ends = new AtomicInteger();
        DFSClientFaultInjector.set(new DFSClientFaultInjector() {
            @Override
            public boolean failPacket() {
                return ends.getAndIncrement() == 0;
            }
        });
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written);
        } finally {
            DFSClientFaultInjector.set(new DFSClientFaultInjector());
        }
        assertWhole(file, written, 2);
        assertThat(ends.get()).isGreaterThanOrEqualTo(2);
    }

    /** The NameNode calls it slow, and it leaves the pipeline; what was acknowledged stays. */
    @Test
    void dataNodeThatIsSlow_leavesThePipeline() throws Exception {
        Configuration conf = WritesCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_PIPELINE_SLOWNODE_ENABLED, true);
        conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_MARK_SLOWNODE_AS_BADNODE_THRESHOLD_KEY, 3);
        start(4, conf);
        for (int victim = 0; victim < 3; victim++) {
            newClient(REPLACE + "policy", "ALWAYS");
            Path file = new Path("/slow" + victim);
            byte[] written = TerraceCluster.contents(file.toString(), BLOCK - 1);
            int done = 0;
            try (FSDataOutputStream out = client.create(file, (short) 3)) {
                out.write(written, 0, ++done);
                out.hflush();
                DatanodeInfo slow = WritesCluster.pipeline(out).get(victim);
                callSlow(slow);
                for (int i = 0; i < 3; i++) {
                    assertThat(WritesCluster.pipeline(out)).contains(slow);
                    out.write(written, done, 700);
                    out.hflush();
                    done += 700;
                }
                assertThat(WritesCluster.pipeline(out)).hasSize(3).doesNotContain(slow);
                out.write(written, done, written.length - done);
            } finally {
                callNoneSlow();
            }
            assertWhole(file, written, 3);
        }
    }

    private void callSlow(DatanodeInfo node) {
        DataNode datanode = cluster.cluster().getDataNodes().stream()
                .filter(each -> each.getDatanodeUuid().equals(node.getDatanodeUuid()))
                .findFirst()
                .orElseThrow();
        cluster.cluster().getNamesystem().getBlockManager().getDatanodeManager().addSlowPeers(node.getDatanodeUuid());
        String pool = cluster.cluster().getNamesystem().getBlockPoolId();
        await().atMost(PATIENCE).until(() -> datanode.getSLOWByBlockPoolId(pool) == PipelineAck.SLOW.SLOW);
    }

    /** One that still takes itself for slow would leave the next pipeline early. */
    private void callNoneSlow() {
        DatanodeManager.getSlowNodesUuidSet().clear();
        String pool = cluster.cluster().getNamesystem().getBlockPoolId();
        await().atMost(PATIENCE).until(() -> cluster.cluster().getDataNodes().stream()
                .noneMatch(each -> each.getSLOWByBlockPoolId(pool) == PipelineAck.SLOW.SLOW));
    }

    @Test
    void dataNodeGone_withoutReplacement_failsAsStock() throws Exception {
        start(3);
        newClient();
        FSDataOutputStream out = client.create(new Path("/failed"), (short) 3);
        out.write(new byte[700]);
        out.hflush();
        writes.stop(WritesCluster.pipeline(out).get(random.nextInt(3)));
        assertThatThrownBy(() -> {
                    out.write(new byte[700]);
                    out.hflush();
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Failed to replace a bad datanode");
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }

    /** Stock says the same when the last one goes. */
    @Test
    void allDataNodesGone_fails() throws Exception {
        start(3);
        newClient(REPLACE + "policy", "NEVER");
        FSDataOutputStream out = client.create(new Path("/failed"), (short) 3);
        out.write(new byte[700]);
        out.hflush();
        for (DatanodeInfo node : WritesCluster.pipeline(out)) {
            writes.stop(node);
        }
        assertThatThrownBy(() -> {
                    out.write(new byte[700]);
                    out.hflush();
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are bad. Aborting...");
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }
}
