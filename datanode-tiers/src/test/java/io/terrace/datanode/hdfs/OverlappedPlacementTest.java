package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Where blocks go that begin while a DataNode of the one before is held up: there are four DataNodes with disks and three with SSDs.
 */
@Tag("cluster")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverlappedPlacementTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final int WITH_DISKS = 4;
    private static final int WITH_SSDS = 3;

    private final DataNodeFaultInjector stock = DataNodeFaultInjector.get();
    private WritesCluster writes;
    private TerraceCluster cluster;
    private DistributedFileSystem client;

    @BeforeAll
    void start() throws IOException {
        StorageType[][] storage = new StorageType[WITH_DISKS + WITH_SSDS][];
        Arrays.setAll(storage, i -> new StorageType[] {i < WITH_DISKS ? StorageType.DISK : StorageType.SSD});
        writes = WritesCluster.start(storage.length, WritesCluster.configuration(), storage);
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

    /** Writes three blocks. The second begins while the last DataNode of the first is held. */
    private void overlap(FSDataOutputStream out, byte[] written) throws Exception {
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED);
        out.write(written, 0, 1_000);
        out.hflush();
        List<DatanodeInfo> first = WritesCluster.pipeline(out);
        HeldDataNode held = new HeldDataNode(first.get(first.size() - 1));
        DataNodeFaultInjector.set(held);
        FutureTask<Void> flush = new FutureTask<>(() -> {
            out.write(written, 1_000, written.length - 1_000);
            out.hflush();
            return null;
        });
        new Thread(flush, "flushes").start();
        await().atMost(WritesCluster.PATIENCE)
                .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED) > before);
        held.end();
        flush.get();
    }

    @Test
    void favouredNodes_holdEveryBlock() throws Exception {
        Path file = new Path("/favoured");
        byte[] written = TerraceCluster.contents("favoured", 2 * BLOCK + 700);
        List<DataNode> favoured = cluster.cluster().getDataNodes().subList(0, 2);
        InetSocketAddress[] addresses =
                favoured.stream().map(DataNode::getXferAddress).toArray(InetSocketAddress[]::new);
        try (FSDataOutputStream out =
                client.create(file, FsPermission.getFileDefault(), true, 4_096, (short) 2, BLOCK, null, addresses)) {
            overlap(out, written);
        }
        writes.assertReads(file, written);
        Set<String> uuids = favoured.stream().map(DataNode::getDatanodeUuid).collect(Collectors.toSet());
        for (int i = 0; i < WritesCluster.blocks(written); i++) {
            int index = i;
            await().atMost(WritesCluster.PATIENCE)
                    .untilAsserted(() -> assertThat(cluster.located(file, index).getLocations())
                            .as("block " + index)
                            .extracting(DatanodeInfo::getDatanodeUuid)
                            .containsExactlyInAnyOrderElementsOf(uuids));
        }
    }

    /** And what is learned of a file on the SSDs does not hold for others: their blocks go to other DataNodes. */
    @Test
    void fastStorage_holdsEveryBlock() throws Exception {
        Path dir = new Path("/ssd");
        client.mkdirs(dir);
        client.setStoragePolicy(dir, HdfsConstants.ALLSSD_STORAGE_POLICY_NAME);
        Path file = new Path(dir, "file");
        byte[] written = TerraceCluster.contents("ssd", 2 * BLOCK + 700);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            overlap(out, written);
        }
        writes.assertReads(file, written);
        IntStream.range(0, WritesCluster.blocks(written)).forEach(i -> await().atMost(WritesCluster.PATIENCE)
                .untilAsserted(() -> assertThat(cluster.located(file, i).getStorageTypes())
                        .as("block " + i)
                        .containsExactly(StorageType.SSD, StorageType.SSD, StorageType.SSD)));
        try (FSDataOutputStream out = client.create(new Path("/two"), (short) 2)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> first = WritesCluster.pipeline(out);
            overlap(out, Arrays.copyOfRange(written, 0, BLOCK + 700));
            assertThat(WritesCluster.pipeline(out)).doesNotContainAnyElementsOf(first);
        }
    }
}
