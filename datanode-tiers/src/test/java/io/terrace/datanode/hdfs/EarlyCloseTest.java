package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are closed with terrace.client.write.close=minimal while DataNodes of their blocks are held up, or go. */
@Tag("cluster")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EarlyCloseTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final Duration PATIENCE = WritesCluster.PATIENCE;
    private static final int BEGUN = 1_000;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final DataNodeFaultInjector stock = DataNodeFaultInjector.get();
    private WritesCluster writes;
    private TerraceCluster cluster;
    private DistributedFileSystem client;

    @BeforeAll
    void start() throws IOException {
        System.out.println("seed " + seed);
        Configuration conf = WritesCluster.configuration();
        // How long the NameNode waits for a replica of a closed file before it makes one.
        conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 5);
        writes = WritesCluster.start(5, conf);
        cluster = writes.cluster();
    }

    /** A client that knows no DataNode yet. */
    @BeforeEach
    void newClient() throws IOException {
        client = client("minimal");
    }

    private DistributedFileSystem client(String close) throws IOException {
        return writes.newClient(
                TerraceSettings.CLIENT_WRITE_CLOSE.key(), close, TerraceSettings.CLIENT_LOCAL.key(), "false");
    }

    @AfterEach
    void endClient() throws IOException {
        DataNodeFaultInjector.set(stock);
        client.close();
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_CLOSED_UNFINISHED))
                    .isZero();
            assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
        });
    }

    @AfterAll
    void stop() throws IOException {
        writes.close();
    }

    /** Begins a file, and returns when its first block is at its DataNodes. */
    private static List<DatanodeInfo> begin(FSDataOutputStream out, byte[] written) throws IOException {
        out.write(written, 0, BEGUN);
        out.hflush();
        return WritesCluster.pipeline(out);
    }

    private static HeldDataNode hold(DatanodeInfo node) {
        HeldDataNode held = new HeldDataNode(node);
        DataNodeFaultInjector.set(held);
        return held;
    }

    private static FutureTask<Void> ends(FSDataOutputStream out, byte[] written, boolean flushes) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            out.write(written, BEGUN, written.length - BEGUN);
            if (flushes) {
                out.hflush();
            } else {
                out.close();
            }
            return null;
        });
        new Thread(task, "ends-a-file").start();
        return task;
    }

    private static long early() {
        return ClientMetrics.value(Metric.CLIENT_WRITE_CLOSED_EARLY);
    }

    /** The second DataNode lacks nearly all of the file when that is closed, then gets it, though its file system is closed too. */
    @Test
    void close_returnsWhileADataNodeLacksBlocks() throws Exception {
        Path file = new Path("/early");
        byte[] written = TerraceCluster.contents("early", BLOCK - 700);
        long before = early();
        FSDataOutputStream out = client.create(file, (short) 3);
        HeldDataNode held = hold(begin(out, written).get(1));
        FutureTask<Void> closes = ends(out, written, false);
        closes.get();
        assertThat(cluster.fs().isFileClosed(file)).isTrue();
        assertThat(early() - before).isEqualTo(1);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_CLOSED_UNFINISHED)).isEqualTo(1);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isPositive();
        assertThat(cluster.located(file, 0).getLocations()).hasSize(1);
        assertThat(cluster.read(file)).isEqualTo(written);
        out.close();
        client.close();
        held.end();
        assertWhole(file, written);
    }

    @Test
    void close_byDefault_waitsForAll() throws Exception {
        client.close();
        client = client("all");
        Path file = new Path("/all");
        byte[] written = TerraceCluster.contents("all", BLOCK / 2);
        long before = early();
        FSDataOutputStream out = client.create(file, (short) 3);
        HeldDataNode held = hold(begin(out, written).get(1));
        FutureTask<Void> closes = ends(out, written, false);
        assertThat(replicasSoon(file, 1)).isEqualTo(1);
        assertThat(closes.isDone()).isFalse();
        held.end();
        closes.get();
        assertThat(early()).isEqualTo(before);
        assertWhole(file, written);
    }

    @Test
    void flush_waitsForAll() throws Exception {
        Path file = new Path("/flushed");
        byte[] written = TerraceCluster.contents("flushed", BLOCK);
        FSDataOutputStream out = client.create(file, (short) 3);
        HeldDataNode held = hold(begin(out, written).get(1));
        FutureTask<Void> flushes = ends(out, written, true);
        assertThat(replicasSoon(file, 1)).isEqualTo(1);
        assertThat(flushes.isDone()).isFalse();
        held.end();
        flushes.get();
        out.close();
        assertWhole(file, written);
    }

    /** The client sends the last DataNode what it lacks; the NameNode has the one that is gone replaced. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void dataNodeGone_afterTheClose_isReplaced(int victim) throws Exception {
        Path file = new Path("/gone" + victim);
        byte[] written = TerraceCluster.contents(file.toString(), BLOCK - 700);
        FSDataOutputStream out = client.create(file, (short) 3);
        List<DatanodeInfo> nodes = begin(out, written);
        HeldDataNode held = hold(nodes.get(1));
        ends(out, written, false).get();
        long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
        FutureTask<DataNodeProperties> stops = writes.stopping(nodes.get(victim));
        await().atMost(PATIENCE).until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) > recoveries);
        held.end();
        DataNodeProperties gone = stops.get();
        cluster.cluster().setDataNodeDead(nodes.get(victim));
        assertWhole(file, written);
        writes.startAgain(gone);
    }

    /** The block gets another stamp while two DataNodes lack some of it: the NameNode has other DataNodes copy it. */
    @Test
    void append_whileADataNodeLacksBlocks_isWholeInTheEnd() throws Exception {
        Path file = new Path("/appended");
        byte[] written = TerraceCluster.contents("appended", BLOCK / 2 + 700);
        byte[] first = Arrays.copyOf(written, BLOCK / 2);
        FSDataOutputStream out = client.create(file, (short) 3);
        HeldDataNode held = hold(begin(out, first).get(1));
        ends(out, first, false).get();
        try (FSDataOutputStream more = cluster.fs().append(file)) {
            more.write(written, first.length, written.length - first.length);
            more.hflush();
            held.end();
        }
        assertWhole(file, written);
    }

    /** Waits for so many finalised replicas of the first block, and says how many there are. */
    private int replicasSoon(Path file, int least) throws IOException {
        await().atMost(PATIENCE).until(() -> finalised(cluster.located(file, 0)) >= least);
        return finalised(cluster.located(file, 0));
    }

    private int finalised(LocatedBlock block) {
        return (int) cluster.cluster().getDataNodes().stream()
                .filter(datanode -> datanode.getFSDataset().isValidBlock(block.getBlock()))
                .count();
    }

    /** In the end the NameNode knows three replicas of each block, each is whole, and none is still written. */
    private void assertWhole(Path file, byte[] written) throws IOException {
        writes.assertReads(file, written);
        for (int i = 0; i < WritesCluster.blocks(written); i++) {
            int index = i;
            await().atMost(PATIENCE).untilAsserted(() -> {
                LocatedBlock block = cluster.located(file, index);
                assertThat(block.getLocations()).hasSize(3);
                assertThat(writes.replicas(block.getBlock(), WritesCluster.ofBlock(written, index)))
                        .isEqualTo(3);
            });
        }
    }
}
