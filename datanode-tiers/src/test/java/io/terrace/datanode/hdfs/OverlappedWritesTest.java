package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.SecurityTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.security.token.Token;
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

/** Files of three replicas whose next block begins while DataNodes of the one before are held up, or go. */
@Tag("cluster")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverlappedWritesTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final String RETRIES = "dfs.client.block.write.locateFollowingBlock.retries";
    private static final long LIFETIME_MS = TimeUnit.HOURS.toMillis(10);
    private static final Duration PATIENCE = WritesCluster.PATIENCE;

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
        // The second next block, and the file's end, wait for reports.
        conf.setInt("dfs.namenode.replication.min", 2);
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setLong("dfs.blockreport.incremental.intervalMsec", 50);
        writes = WritesCluster.start(6, conf);
        cluster = writes.cluster();
    }

    @BeforeEach
    void newClient() throws IOException {
        client = writes.newClient(TerraceSettings.CLIENT_LOCAL.key(), "false");
    }

    @AfterEach
    void endClient() throws IOException {
        DataNodeFaultInjector.set(stock);
        client.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    @AfterAll
    void stop() throws IOException {
        writes.close();
    }

    /** Writes the first block and some of the second, and returns when that has begun while a DataNode of the first is held. */
    private FutureTask<Void> overlap(FSDataOutputStream out, byte[] written, int to) {
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED);
        FutureTask<Void> flush = new FutureTask<>(() -> {
            out.write(written, 1_000, to - 1_000);
            out.hflush();
            return null;
        });
        new Thread(flush, "flushes").start();
        await().atMost(PATIENCE).until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED) > before);
        return flush;
    }

    @Test
    void flush_andTheFilesEnd_waitForTheBlockBefore() throws Exception {
        Path file = new Path("/held");
        byte[] written = TerraceCluster.contents("held", 3 * BLOCK + 700);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> first = WritesCluster.pipeline(out);
            HeldDataNode held = new HeldDataNode(first.get(1 + random.nextInt(2)));
            DataNodeFaultInjector.set(held);
            FutureTask<Void> flush = overlap(out, written, BLOCK + 700);
            assertThat(WritesCluster.pipeline(out)).doesNotContainAnyElementsOf(first);
            assertThat(flush.isDone()).isFalse();
            held.end();
            flush.get();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, BLOCK + 700));
            out.write(written, BLOCK + 700, written.length - BLOCK - 700);
        }
        assertWhole(file, written, 3, Set.of());
    }

    /** The first block has one replica, and the NameNode wants two before it adds the third. */
    @Test
    void nextBlock_whereTheNameNodeWantsMoreReplicas_waitsForThem() throws Exception {
        long refused = ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_REFUSED);
        Path file = new Path("/refused");
        byte[] written = TerraceCluster.contents("refused", 5 * BLOCK);
        client.close();
        // 5 + 10 + ... + 1280 ms: the last blocks and the close have no more, for reports that DataNodes of a busy
        // machine send late.
        client = writes.newClient(TerraceSettings.CLIENT_LOCAL.key(), "false", RETRIES, "9");
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            HeldDataNode held = new HeldDataNode(WritesCluster.pipeline(out).get(1));
            DataNodeFaultInjector.set(held);
            FutureTask<Void> flush = overlap(out, written, 4 * BLOCK);
            await().atMost(PATIENCE).until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_REFUSED) > refused);
            assertThat(flush.isDone()).isFalse();
            held.end();
            flush.get();
            out.write(written, 4 * BLOCK, BLOCK);
        }
        assertWhole(file, written, 3, Set.of());
    }

    /** Two of six are left: they and the last ones of the block before, which only take what comes to them. */
    @Test
    void nextBlock_whereTooFewDataNodesAreLeft_sharesTheLastOnes() throws Exception {
        Path file = new Path("/shared");
        byte[] written = TerraceCluster.contents("shared", 2 * BLOCK);
        try (FSDataOutputStream out = client.create(file, (short) 4)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> first = WritesCluster.pipeline(out);
            HeldDataNode held = new HeldDataNode(first.get(3));
            DataNodeFaultInjector.set(held);
            FutureTask<Void> flush = overlap(out, written, BLOCK + 700);
            await().atMost(PATIENCE).until(() -> !WritesCluster.pipeline(out).equals(first));
            assertThat(WritesCluster.pipeline(out))
                    .doesNotContainAnyElementsOf(first.subList(0, 2))
                    .containsAll(first.subList(2, 4));
            held.end();
            flush.get();
            out.write(written, BLOCK + 700, written.length - BLOCK - 700);
        }
        assertWhole(file, written, 4, Set.of());
    }

    /** The others get what they lack, and another DataNode gets a copy, at once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void dataNodeGone_whenTheFirstHadAll_isReplaced(int victim) throws Exception {
        replaces(new Path("/gone" + victim), victim, () -> {});
    }

    /** What came with the block opens none of its replicas again. */
    @Test
    void dataNodeGone_fromABlockThatOutlivedItsToken_isReplaced() throws Exception {
        BlockTokenSecretManager tokens =
                cluster.cluster().getNamesystem().getBlockManager().getBlockTokenSecretManager();
        SecurityTestUtil.setBlockTokenLifetime(tokens, 3_000);
        try {
            replaces(new Path("/outlived"), 1 + random.nextInt(2), () -> {
                // That of a block is no older than one made now.
                Token<BlockTokenIdentifier> token = tokens.generateToken(
                        new ExtendedBlock("pool", 1), EnumSet.of(AccessMode.WRITE), new StorageType[0], new String[0]);
                while (!SecurityTestUtil.isBlockTokenExpired(token)) {
                    Thread.sleep(20);
                }
                SecurityTestUtil.setBlockTokenLifetime(tokens, LIFETIME_MS);
            });
        } finally {
            SecurityTestUtil.setBlockTokenLifetime(tokens, LIFETIME_MS);
        }
    }

    private interface Pause {
        void run() throws Exception;
    }

    /** @param within the first block */
    private void replaces(Path file, int victim, Pause within) throws Exception {
        byte[] written = TerraceCluster.contents(file.toString(), 2 * BLOCK + 700);
        long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
        long replaced = ClientMetrics.value(Metric.CLIENT_WRITE_REPLICAS_REPLACED);
        DataNodeProperties gone;
        Set<String> lost = new HashSet<>();
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> first = WritesCluster.pipeline(out);
            lost.add(first.get(victim).getDatanodeUuid());
            within.run();
            HeldDataNode held = new HeldDataNode(first.get(victim == 0 ? 1 : 2));
            DataNodeFaultInjector.set(held);
            FutureTask<Void> flush = overlap(out, written, BLOCK + 700);
            FutureTask<DataNodeProperties> stops = writes.stopping(first.get(victim));
            // It may wait for its thread that is held; its connections have ended before.
            await().atMost(PATIENCE).until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) > recoveries);
            held.end();
            gone = stops.get();
            flush.get();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, BLOCK + 700));
            out.write(written, BLOCK + 700, written.length - BLOCK - 700);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_REPLICAS_REPLACED) - replaced)
                .isEqualTo(1);
        assertWhole(file, written, 3, lost);
        writes.startAgain(gone);
    }

    /** As many replicas of each block, known to the NameNode when the reports have come, and nothing else of it. */
    private void assertWhole(Path file, byte[] written, int replicas, Set<String> lost) throws IOException {
        writes.assertReads(file, written);
        for (int i = 0; i < WritesCluster.blocks(written); i++) {
            int index = i;
            ExtendedBlock block = cluster.located(file, i).getBlock();
            assertThat(writes.replicas(block, WritesCluster.ofBlock(written, i)))
                    .as("replicas of block " + i)
                    .isEqualTo(replicas);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.located(file, index).getLocations())
                            .filteredOn(node -> !lost.contains(node.getDatanodeUuid()))
                            .hasSize(replicas));
        }
    }
}
