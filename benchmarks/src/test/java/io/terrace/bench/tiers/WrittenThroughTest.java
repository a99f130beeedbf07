package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Files for which a rule or an annotation says {@code write: memory}, written by a client that asks for nothing: the copy is
 * filled while they are written, and no move is ordered for it.
 */
@Tag("cluster")
class WrittenThroughTest {

    private static final int NODES = 2;
    /** A copy is begun where there is room for a whole block. */
    private static final long BLOCK_BYTES = 1 << 20;

    private static FourTierCluster tiers;
    private static DistributedFileSystem client;
    private final List<Path> files = new ArrayList<>();
    private int written;

    @BeforeAll
    static void start() throws Exception {
        tiers = new FourTierCluster(Map.of(
                "dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger"));
        Configuration conf = new Configuration(tiers.fs.getConf());
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.setBoolean(TerraceSettings.CLIENT_WRITE_ENABLED.key(), true);
        client = (DistributedFileSystem) FileSystem.newInstance(tiers.fs.getUri(), conf);
    }

    @AfterAll
    static void stop() throws IOException {
        try (FourTierCluster unusedCluster = tiers) {
            client.close();
        }
    }

    /** Writes a file to each DataNode; of how many the first read comes from memory. Those before it make room. */
    private int through(String directory) throws IOException {
        for (Path before : files) {
            client.delete(before, false);
        }
        files.clear();
        int through = 0;
        for (DataNode node : tiers.cluster.getDataNodes()) {
            Path file = new Path(directory, "part-" + ++written);
            files.add(file);
            InetSocketAddress[] favored = {node.getXferAddress()};
            try (FSDataOutputStream out = client.create(
                    file, FsPermission.getFileDefault(), true, 4_096, (short) 1, BLOCK_BYTES, null, favored)) {
                out.write(tiers.bytes);
            }
            long granted = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
            assertThat(DFSTestUtil.readFileAsBytes(client, file)).isEqualTo(tiers.bytes);
            through += ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) - granted == tiers.bytes.length ? 1 : 0;
        }
        return through;
    }

    private void awaitThrough(String directory, int expected) {
        await().alias(directory).atMost(FourTierCluster.PATIENCE).until(() -> through(directory) == expected);
    }

    /** The last file is held as one that was ordered, though no move was. */
    private void awaitHeld() throws ServiceException {
        Path file = files.get(NODES - 1);
        await().atMost(FourTierCluster.PATIENCE).until(() -> replica(file).getHeldForMs() > 0);
        assertThat(replica(file).getInMemory()).isTrue();
    }

    private static ReplicaProto replica(Path file) throws ServiceException {
        BlockReportProto block = tiers.explain(file).getBlocks(0);
        assertThat(block.getLastMovesList()).isEmpty();
        return block.getReplicas(0);
    }

    @Test
    void rule_hasTheFilesOfItsPathInMemory_whenTheyAreClosed() throws Exception {
        tiers.rules("- {path: /out/_tmp/**, place: allow}", "- {path: /out/**, write: memory}");
        awaitThrough("/out/1", NODES);
        assertThat(through("/out/2")).isEqualTo(NODES);
        awaitHeld();
        assertThat(through("/out/_tmp")).isZero();
        assertThat(through("/other")).isZero();
        tiers.rules("- {path: /out/**, smallest: 1k}");
        awaitThrough("/out/3", 0);
    }

    @Test
    void annotationOfADirectory_does_onceAFileBelowItWasSeen() throws Exception {
        tiers.rules("- {path: /**, annotations: [write]}");
        Path directory = new Path("/annotated");
        client.mkdirs(directory);
        client.setXAttr(directory, "user.terrace.write", "memory".getBytes(StandardCharsets.UTF_8));
        awaitThrough("/annotated/deep/below", NODES);
        assertThat(through("/annotated")).isEqualTo(NODES);
        assertThat(through("/elsewhere")).isZero();
        client.rename(directory, new Path("/renamed"));
        files.replaceAll(file -> new Path(file.toString().replaceFirst("/annotated", "/renamed")));
        awaitThrough("/renamed/deep", NODES);
        client.removeXAttr(new Path("/renamed"), "user.terrace.write");
        awaitThrough("/renamed/deep", 0);
    }
}
