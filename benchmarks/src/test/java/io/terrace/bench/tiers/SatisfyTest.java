package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules and annotations with {@code satisfy: true}, and files that they do not touch. */
@Tag("cluster")
class SatisfyTest {

    private static final List<StorageType> ON_DISK = List.of(StorageType.DISK, StorageType.DISK);
    private static final List<StorageType> ON_ARCHIVE = List.of(StorageType.ARCHIVE, StorageType.ARCHIVE);
    private static final String[] RULES = {"- path: /told/**", "  satisfy: true", "- path: /bad/**", "  satisfy: true"};
    private static final int MB = 1 << 20;

    private static FourTierCluster tiers;

    @BeforeAll
    static void start() throws Exception {
        tiers = new FourTierCluster(Map.of(
                "dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger"));
        tiers.rules(RULES);
    }

    @AfterAll
    static void stop() throws IOException {
        tiers.close();
    }

    private static Path file(String path) throws IOException {
        Path file = new Path(path);
        tiers.create(file);
        return file;
    }

    private static void awaitTypes(Path file, List<StorageType> types) {
        await().alias(file + " on " + types)
                .atMost(FourTierCluster.PATIENCE)
                .ignoreExceptions()
                .until(() -> tiers.types(file).equals(types.stream().sorted().toList()));
    }

    private static String explained(Path file) throws Exception {
        return tiers.explain(file).getBlocks(0).getRange();
    }

    @Test
    void changedPolicies_areSatisfied_andTheQuotaByTypeIsAsBefore() throws Exception {
        Path directory = new Path("/told");
        Path deep = file("/told/a/b/file");
        Path file = file("/told/file");
        Path untold = file("/untold/file");
        tiers.fs.setStoragePolicy(new Path("/untold"), HdfsConstants.COLD_STORAGE_POLICY_NAME);
        tiers.fs.setStoragePolicy(directory, HdfsConstants.ONESSD_STORAGE_POLICY_NAME);
        tiers.fs.setQuotaByStorageType(directory, StorageType.SSD, 10L * MB);
        QuotaUsage before = tiers.fs.getQuotaUsage(directory);
        awaitTypes(deep, List.of(StorageType.SSD, StorageType.DISK));
        awaitTypes(file, List.of(StorageType.SSD, StorageType.DISK));
        assertThat(tiers.fs.getQuotaUsage(directory)).isEqualTo(before);
        assertThat(explained(file)).isEqualTo("satisfy: all replicas are where storage policy ONE_SSD wants them");
        tiers.fs.setStoragePolicy(deep, HdfsConstants.COLD_STORAGE_POLICY_NAME);
        awaitTypes(deep, ON_ARCHIVE);
        assertThat(tiers.types(untold)).isEqualTo(ON_DISK);
        assertThat(DFSTestUtil.readFileAsBytes(tiers.fs, deep)).isEqualTo(tiers.bytes);
    }

    @Test
    void annotatedDirectory_isKnownAfterARestart() throws Exception {
        Path directory = new Path("/annotated");
        Path file = file("/annotated/file");
        tiers.fs.setStoragePolicy(directory, HdfsConstants.COLD_STORAGE_POLICY_NAME);
        tiers.fs.setXAttr(directory, "trusted.terrace.satisfy", "true".getBytes(StandardCharsets.UTF_8));
        awaitTypes(file, ON_ARCHIVE);
        await().atMost(FourTierCluster.PATIENCE)
                .until(() -> tiers.fs.listXAttrs(new Path("/")).contains("trusted.terrace.satisfied"));
        Path mine = file("/mine/file");
        tiers.fs.setStoragePolicy(new Path("/mine"), HdfsConstants.COLD_STORAGE_POLICY_NAME);
        tiers.fs.setXAttr(new Path("/mine"), "user.terrace.satisfy", "true".getBytes(StandardCharsets.UTF_8));
        // Renamed, and its policy changed, which the logger of the next NameNode does not know.
        tiers.fs.rename(directory, new Path("/renamed"));
        tiers.fs.setStoragePolicy(new Path("/renamed"), HdfsConstants.HOT_STORAGE_POLICY_NAME);
        tiers.cluster.restartNameNode(true);
        awaitTypes(new Path("/renamed/file"), ON_DISK);
        assertThat(tiers.types(mine)).isEqualTo(ON_DISK);
        assertThat(new String(tiers.fs.getXAttr(new Path("/"), "trusted.terrace.satisfied"), StandardCharsets.UTF_8))
                .matches("[0-9]+");
        tiers.fs.removeXAttr(new Path("/renamed"), "trusted.terrace.satisfy");
        await().atMost(FourTierCluster.PATIENCE).until(() -> new String(
                        tiers.fs.getXAttr(new Path("/"), "trusted.terrace.satisfied"), StandardCharsets.UTF_8)
                .isEmpty());
    }

    @Test
    void filesThatMayNotMove_stay() throws Exception {
        Path bad = new Path("/bad");
        tiers.fs.mkdirs(bad);
        tiers.fs.allowSnapshot(bad);
        file("/bad/deleted");
        tiers.fs.createSnapshot(bad, "before");
        tiers.fs.delete(new Path("/bad/deleted"), false);
        Path coded = new Path("/bad/coded");
        tiers.fs.mkdirs(coded);
        tiers.fs.enableErasureCodingPolicy("XOR-2-1-1024k");
        tiers.fs.setErasureCodingPolicy(coded, "XOR-2-1-1024k");
        Path striped = file("/bad/coded/file");
        Path ram = new Path("/bad/ram");
        tiers.fs.mkdirs(ram);
        Path volatileFile = file("/bad/ram/file");
        tiers.fs.setStoragePolicy(ram, HdfsConstants.MEMORY_STORAGE_POLICY_NAME);
        Path last = file("/bad/z");
        try (FSDataOutputStream open = tiers.fs.create(new Path("/bad/open"), (short) 2)) {
            open.write(tiers.bytes);
            open.hflush();
            // A block of a group that was not written is made anew by HDFS itself, where the policy of that moment
            // says.
            await().atMost(FourTierCluster.PATIENCE).until(() -> types(striped).size() == 2);
            tiers.fs.setStoragePolicy(bad, HdfsConstants.COLD_STORAGE_POLICY_NAME);
            // It comes last in a walk.
            awaitTypes(last, ON_ARCHIVE);
            assertThat(tiers.types(new Path("/bad/open"))).isEqualTo(ON_DISK);
            assertThat(explained(striped)).contains("erasure-coded");
            assertThat(explained(volatileFile)).contains("LAZY_PERSIST");
        }
        assertThat(types(striped)).containsOnly(StorageType.DISK);
        assertThat(tiers.types(volatileFile)).isEqualTo(ON_DISK);
        assertThat(tiers.types(new Path("/bad/.snapshot/before/deleted"))).isEqualTo(ON_DISK);
    }

    private static List<StorageType> types(Path file) throws IOException {
        LocatedBlock block = tiers.fs
                .getClient()
                .getLocatedBlocks(file.toString(), 0, FourTierCluster.BYTES)
                .get(0);
        return Arrays.asList(block.getStorageTypes());
    }
}
