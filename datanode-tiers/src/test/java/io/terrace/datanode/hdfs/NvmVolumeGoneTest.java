package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.Metric;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A volume of NVM that is taken away, fails, or was not wanted in the first place. */
@Tag("cluster")
class NvmVolumeGoneTest {

    private static final int BYTES = 300_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private TerraceCluster cluster;
    private Path file;
    private File volume;

    @BeforeEach
    void admitAReplica() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
        conf.setTimeDuration(
                DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, 0, java.util.concurrent.TimeUnit.MILLISECONDS);
        cluster = TerraceCluster.start(1, conf, StorageType.NVDIMM, StorageType.DISK);
        cluster.fs().mkdirs(new Path("/nvm"));
        cluster.fs().setStoragePolicy(new Path("/nvm"), "ALL_NVDIMM");
        file = cluster.write("nvm/volume", BYTES, 1);
        volume = new File(cluster.datanode(0)
                .getFSDataset()
                .getVolume(cluster.located(file, 0).getBlock())
                .getBaseURI()
                .getPath());
        cluster.read(file);
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_VERIFIED) == 1);
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
    }

    @Test
    void extents_ofARemovedVolume_end_andNoLinkStays() throws Exception {
        DataNode datanode = cluster.datanode(0);
        String left = Arrays.stream(datanode.getConf().getTrimmedStrings(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY))
                .filter(location -> !location.endsWith(volume.getName()))
                .collect(Collectors.joining(","));
        datanode.reconfigureProperty(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, left);
        awaitNoExtent();
        assertThat(volume.toPath().resolve("terrace/extents")).isEmptyDirectory();
    }

    @Test
    void extents_ofAFailedVolume_end() throws Exception {
        DataNodeTestUtils.injectDataDirFailure(volume);
        try {
            DataNodeTestUtils.waitForDiskError(
                    cluster.datanode(0), DataNodeTestUtils.getVolume(cluster.datanode(0), volume));
            awaitNoExtent();
        } finally {
            DataNodeTestUtils.restoreDataDirFromFailure(volume);
        }
    }

    @Test
    void withoutNvm_nothingIsGranted_andLeftLinksAreRemovedAllTheSame() throws Exception {
        java.nio.file.Path extents = volume.toPath().resolve("terrace/extents");
        cluster.stopPlugin(0);
        Files.createFile(extents.resolve("blk_1_1_1"));
        cluster.datanode(0).getConf().setBoolean("terrace.datanode.nvm.enabled", false);
        cluster.startPlugin(0);
        assertThat(cluster.service(0).nvm()).isNull();
        assertThat(extents).isEmptyDirectory();
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("nvm/volume", BYTES));
        assertThat(cluster.figure(0, Metric.NVM_VERIFIED)).isZero();
    }

    private void awaitNoExtent() {
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.NVM_EXTENTS) == 0);
        assertThat(cluster.figure(0, Metric.NVM_RETIRED)).isEqualTo(1);
    }
}
