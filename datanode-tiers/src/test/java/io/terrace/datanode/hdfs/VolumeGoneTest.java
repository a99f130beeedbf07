package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A memory copy is never the only copy: when the volume of its replica goes, so does it. */
@Tag("cluster")
class VolumeGoneTest {

    private static final int BYTES = 300_000;
    private static final int FILES = 6;

    private TerraceCluster cluster;
    private final List<BlockKey> lost = new ArrayList<>();
    private final List<BlockKey> kept = new ArrayList<>();
    private File volume;

    @BeforeEach
    void promoteBlocksOfBothVolumes() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
        conf.setTimeDuration(
                DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, 0, java.util.concurrent.TimeUnit.MILLISECONDS);
        cluster = TerraceCluster.start(1, conf);
        for (int i = 0; i < FILES; i++) {
            Path file = cluster.write("volume" + i, BYTES, 1);
            BlockKey key = cluster.key(file, 0);
            cluster.promote(0, key, BYTES);
            File on = volumeOf(cluster.located(file, 0).getBlock());
            if (volume == null) {
                volume = on;
            }
            (on.equals(volume) ? lost : kept).add(key);
        }
        assertThat(kept).as("blocks on the volume that stays").isNotEmpty();
        assertThat(lost).allMatch(this::resident);
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    @Test
    void copies_ofAFailedVolume_areDropped_othersStay() throws Exception {
        DataNodeTestUtils.injectDataDirFailure(volume);
        try {
            DataNodeTestUtils.waitForDiskError(cluster.datanode(0), volumeAt(volume));
            awaitOnlyTheOtherVolumesCopies();
        } finally {
            DataNodeTestUtils.restoreDataDirFromFailure(volume);
        }
    }

    @Test
    void copies_ofARemovedVolume_areDropped_othersStay() throws Exception {
        DataNode datanode = cluster.datanode(0);
        StringBuilder left = new StringBuilder();
        for (String location : datanode.getConf().getTrimmedStrings(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY)) {
            if (!location.endsWith(volume.getName())) {
                left.append(left.isEmpty() ? "" : ",").append(location);
            }
        }
        datanode.reconfigureProperty(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, left.toString());
        awaitOnlyTheOtherVolumesCopies();
    }

    private void awaitOnlyTheOtherVolumesCopies() {
        await().atMost(Duration.ofSeconds(20)).until(() -> lost.stream().noneMatch(this::resident));
        assertThat(kept).allMatch(this::resident);
        await().alias("room is given back")
                .atMost(Duration.ofSeconds(10))
                .until(() -> cluster.service(0).tier().usage().usedBytes() == (long) kept.size() * BYTES);
    }

    private boolean resident(BlockKey key) {
        return cluster.service(0).tier().isResident(key);
    }

    private File volumeOf(ExtendedBlock block) {
        return new File(
                cluster.datanode(0).getFSDataset().getVolume(block).getBaseURI().getPath());
    }

    private FsVolumeSpi volumeAt(File directory) throws Exception {
        return DataNodeTestUtils.getVolume(cluster.datanode(0), directory);
    }
}
