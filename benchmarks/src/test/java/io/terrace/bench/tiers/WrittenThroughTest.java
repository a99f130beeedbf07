package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
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

    private static FourTierCluster tiers;
    private static FileSystem client;
    private final AtomicInteger files = new AtomicInteger();

    @BeforeAll
    static void start() throws Exception {
        tiers = new FourTierCluster(Map.of(
                "dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger"));
        Configuration conf = new Configuration(tiers.fs.getConf());
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.setBoolean(TerraceSettings.CLIENT_WRITE_ENABLED.key(), true);
        // A copy is begun where there is room for a whole block.
        conf.setLong("dfs.blocksize", 1 << 20);
        client = FileSystem.newInstance(tiers.fs.getUri(), conf);
    }

    @AfterAll
    static void stop() throws IOException {
        try (FourTierCluster unusedCluster = tiers) {
            client.close();
        }
    }

    /** Writes a new file; whether its first read comes from memory, though nothing was ordered. */
    private boolean isThrough(String directory) throws Exception {
        Path file = new Path(directory, "part-" + files.incrementAndGet());
        try (FSDataOutputStream out = client.create(file, (short) 1)) {
            out.write(tiers.bytes);
        }
        long granted = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
        assertThat(DFSTestUtil.readFileAsBytes(client, file)).isEqualTo(tiers.bytes);
        boolean fromMemory = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) - granted == tiers.bytes.length;
        BlockReportProto block = tiers.explain(file).getBlocks(0);
        return fromMemory && block.getLastMovesCount() == 0;
    }

    private void awaitThrough(String directory, boolean expected) {
        await().atMost(FourTierCluster.PATIENCE).until(() -> isThrough(directory) == expected);
    }

    @Test
    void rule_hasTheFilesOfItsPathInMemory_whenTheyAreClosed() throws Exception {
        tiers.rules("- {path: /out/_tmp/**, place: allow}", "- {path: /out/**, write: memory}");
        awaitThrough("/out/1", true);
        assertThat(isThrough("/out/2")).isTrue();
        assertThat(isThrough("/out/_tmp")).isFalse();
        assertThat(isThrough("/other")).isFalse();
        tiers.rules("- {path: /out/**, smallest: 1k}");
        awaitThrough("/out/3", false);
    }

    @Test
    void annotationOfADirectory_does_onceAFileBelowItWasSeen() throws Exception {
        tiers.rules("- {path: /**, annotations: [write]}");
        Path directory = new Path("/annotated");
        client.mkdirs(directory);
        client.setXAttr(directory, "user.terrace.write", "memory".getBytes(StandardCharsets.UTF_8));
        awaitThrough("/annotated/deep/below", true);
        assertThat(isThrough("/annotated")).isTrue();
        assertThat(isThrough("/elsewhere")).isFalse();
        client.rename(directory, new Path("/renamed"));
        awaitThrough("/renamed/deep", true);
        client.removeXAttr(new Path("/renamed"), "user.terrace.write");
        awaitThrough("/renamed/deep", false);
    }
}
