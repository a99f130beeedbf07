package io.terrace.datanode.hdfs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.common.StorageTier;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What clients of this host need to read NVM is missing, goes, or is left by an earlier process: stock HDFS reads. */
@Tag("cluster")
class NvmLocalFaultsTest {

    private static final int BYTES = 300_000;
    private static final String NAME = "nvm/file";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private TerraceCluster cluster;
    private DistributedFileSystem client;
    private org.apache.hadoop.fs.Path file;
    private Path directory;

    @BeforeEach
    void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        // Each open has a token of its own, and so a grant.
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        cluster = TerraceCluster.start(1, conf, StorageType.NVDIMM, StorageType.DISK);
        cluster.fs().mkdirs(new org.apache.hadoop.fs.Path("/nvm"));
        cluster.fs().setStoragePolicy(new org.apache.hadoop.fs.Path("/nvm"), "ALL_NVDIMM");
        client = cluster.memoryFirstClient();
        directory = cluster.nvmLocalDir(0);
        file = cluster.write(NAME, BYTES, 1);
        awaitGranted();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        cluster.close();
    }

    private byte[] read() throws IOException {
        try (FSDataInputStream in = client.open(file)) {
            return in.readAllBytes();
        }
    }

    private void readsAllBytes() throws IOException {
        assertThat(read()).isEqualTo(TerraceCluster.contents(NAME, BYTES));
    }

    private static long grantedBytes() {
        return ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_NVM_BYTES);
    }

    private void awaitGranted() {
        await().atMost(PATIENCE).until(() -> {
            long before = grantedBytes();
            readsAllBytes();
            return grantedBytes() - before >= BYTES;
        });
    }

    private Path replica() throws IOException {
        return cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
    }

    private NvmService nvm() {
        return requireNonNull(cluster.service(0).nvm());
    }

    private Path links() {
        return directory.resolve("links");
    }

    private void restartWith(String directories) {
        cluster.stopPlugin(0);
        cluster.datanode(0).getConf().set(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(), directories);
        cluster.startPlugin(0);
    }

    /** Nobody of this host is granted the replica, and all read it. */
    private void assertStockReads(String problem) throws IOException {
        long granted = grantedBytes();
        readsAllBytes();
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_LOCAL_NOT_SHOWN) > 0);
        for (int i = 0; i < 3; i++) {
            readsAllBytes();
        }
        assertThat(grantedBytes()).isEqualTo(granted);
        assertThat(nvm().problem()).contains(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(), problem);
    }

    @Test
    void directoryThatGoes_leavesReadersToStock_untilItIsBack() throws Exception {
        Path aside = directory.resolveSibling("aside");
        Files.move(directory, aside);
        await().atMost(PATIENCE).until(() -> {
            readsAllBytes();
            return cluster.figure(0, Metric.NVM_LOCAL_NOT_LINKED) > 0;
        });
        assertThat(nvm().problem()).contains(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key());
        assertThat(cluster.figure(0, Metric.NVM_EXTENTS)).isEqualTo(1);
        Files.move(aside, directory);
        awaitGranted();
        assertThat(nvm().problem()).isEmpty();
    }

    @Test
    void linksDirectoryThatGoes_isMadeAgain() throws Exception {
        // The client says a moment after it opened a link that it did.
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(links()).isEmptyDirectory());
        Files.delete(links());
        awaitGranted();
        assertThat(cluster.figure(0, Metric.NVM_LOCAL_NOT_LINKED)).isZero();
    }

    @Test
    void restart_removesLinksThatWereLeft_andGrantsAgain() throws Exception {
        cluster.stopPlugin(0);
        assertThat(links()).isEmptyDirectory();
        Path left = Files.createLink(links().resolve("0123456789abcdef0123456789abcdef"), replica());
        cluster.startPlugin(0);
        assertThat(left).doesNotExist();
        awaitGranted();
    }

    @Test
    void volumeThatIsRemoved_endsItsExtents_andLeavesNoLink() throws Exception {
        DataNode datanode = cluster.datanode(0);
        String volume =
                new TieredVolumes(cluster).volume(StorageTier.NVM).getBaseURI().getPath();
        String left = Arrays.stream(datanode.getConf().getTrimmedStrings(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY))
                .filter(location ->
                        !location.endsWith(Path.of(volume).getFileName().toString()))
                .collect(Collectors.joining(","));
        datanode.reconfigureProperty(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, left);
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_EXTENTS) == 0);
        assertThat(links()).isEmptyDirectory();
        assertThat(Path.of(volume).resolve("terrace/extents")).isEmptyDirectory();
    }

    @Test
    void directoryThatIsMissingAtStart_isSaid_andStockReads() throws Exception {
        restartWith(directory.resolveSibling("nowhere").toString());
        assertStockReads("nowhere is not a directory: make it");
    }

    @Test
    void directoryInsideADataDirectory_isRefused() throws Exception {
        Path volume = Path.of(new TieredVolumes(cluster).volume(StorageTier.NVM).getBaseURI());
        restartWith(Files.createDirectory(volume.resolve("local")).toString());
        assertStockReads("is inside the data directory");
    }

    @Test
    void directoryThatOthersMayWrite_isRefused() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        restartWith(directory.toString());
        assertStockReads("chmod go-w");
    }

    @Test
    void directoryOnAnotherFileSystem_isSaid() throws Exception {
        Path other = Files.createTempDirectory("nvm-local");
        try {
            boolean isOther = !Files.getAttribute(other, "unix:dev").equals(Files.getAttribute(directory, "unix:dev"));
            Assumptions.assumeTrue(isOther, "/dev/shm and the temporary directory are one file system");
            restartWith(other.toString());
            assertStockReads("is on the file system of");
        } finally {
            Files.deleteIfExists(other.resolve("links"));
            Files.delete(other);
        }
    }

    @Test
    void ofSeveralDirectories_theOneOnTheVolumesFileSystemIsUsed() throws Exception {
        restartWith("/proc, " + directory);
        awaitGranted();
    }
}
