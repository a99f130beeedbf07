package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A DataNode starts with a volume that fails when its replicas are listed, and goes on with the other, as it tolerates. */
@Tag("cluster")
class VolumeGoneAtStartTest {

    private static final int BYTES = 300_000;
    private static final int FILES = 6;

    @Test
    void leftovers_ofTheVolumeThatStays_areAdopted_theOthersAreDeleted() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            List<BlockKey> lost = new ArrayList<>();
            List<BlockKey> kept = new ArrayList<>();
            Path volume = null;
            for (int i = 0; i < FILES; i++) {
                var file = cluster.write("volume" + i, BYTES, 1);
                BlockKey key = cluster.key(file, 0);
                cluster.promote(0, key, BYTES);
                Path on = Path.of(cluster.datanode(0)
                        .getFSDataset()
                        .getVolume(cluster.located(file, 0).getBlock())
                        .getBaseURI());
                volume = volume == null ? on : volume;
                (on.equals(volume) ? lost : kept).add(key);
            }
            assertThat(kept).as("blocks on the volume that stays").isNotEmpty();
            cluster.stopPlugin(0);
            String pool = lost.get(0).pool();
            putAFileInPlaceOf(volume.resolve("current").resolve(pool).resolve("current/rbw"));

            cluster.restartDataNode(0);

            assertThat(cluster.datanode(0).getFSDataset().getNumFailedVolumes()).isEqualTo(1);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> cluster.figure(0, Metric.MEMORY_LEFTOVERS_DELETED) == lost.size());
            kept.forEach(key -> cluster.awaitResident(0, key));
            assertThat(lost).noneMatch(key -> cluster.service(0).tier().isResident(key));
            assertThat(cluster.service(0).tier().usage().usedBytes()).isEqualTo((long) kept.size() * BYTES);
        }
    }

    private static void putAFileInPlaceOf(Path directory) throws IOException {
        try (Stream<Path> inside = Files.list(directory)) {
            assertThat(inside).isEmpty();
        }
        Files.delete(directory);
        Files.createFile(directory);
    }
}
