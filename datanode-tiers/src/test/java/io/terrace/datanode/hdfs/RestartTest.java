package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a DataNode that starts again makes of the copies of the process before it. */
@Tag("cluster")
class RestartTest {

    @Test
    void copies_ofEarlierProcess_areAdoptedIfTheyStillMatch() throws Exception {
        try (TerraceCluster cluster = TerraceCluster.start(1)) {
            int bytes = 800_000;
            var good = cluster.write("good", bytes, 1);
            var bad = cluster.write("bad", bytes, 1);
            var deleted = cluster.write("deleted", bytes, 1);
            BlockKey goodKey = cluster.key(good, 0);
            BlockKey badKey = cluster.key(bad, 0);
            BlockKey deletedKey = cluster.key(deleted, 0);
            for (BlockKey key : List.of(goodKey, badKey, deletedKey)) {
                cluster.promote(0, key, bytes);
            }
            cluster.stopPlugin(0);
            List<Path> files = extentFiles(cluster.memoryDir(0));
            assertThat(files).hasSize(3);
            damage(files, badKey);
            cluster.fs().delete(deleted, false);
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> cluster.datanode(0)
                    .getFSDataset()
                    .getReplicaString(deletedKey.pool(), deletedKey.blockId())
                    .equals("null"));

            cluster.restartDataNode(0);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.figure(0, Metric.MEMORY_LEFTOVERS_DELETED) == 2);
            cluster.awaitResident(0, goodKey);
            assertThat(cluster.figure(0, Metric.MEMORY_LEFTOVERS_ADOPTED)).isEqualTo(1);
            assertThat(cluster.service(0).tier().isResident(badKey)).isFalse();
            assertThat(cluster.service(0).tier().usage().usedBytes()).isEqualTo(bytes);
            assertThat(extentFiles(cluster.memoryDir(0))).hasSize(1);
            assertThat(cluster.read(good)).isEqualTo(TerraceCluster.contents("good", bytes));
            assertThat(cluster.figure(0, Metric.READS_STOCK_MEMORY)).isEqualTo(1);
            assertThat(cluster.read(bad)).isEqualTo(TerraceCluster.contents("bad", bytes));
        }
    }

    /** They keep the room of deleted blocks, and the volume may have another type since. */
    @Test
    void linksThatAnEarlierProcessLeft_goFromVolumesOfAnyType() throws IOException {
        try (TerraceCluster cluster = TerraceCluster.start(1, TerraceCluster.configuration(), StorageType.DISK)) {
            cluster.stopPlugin(0);
            Path link;
            try (FsDatasetSpi.FsVolumeReferences volumes =
                    cluster.datanode(0).getFSDataset().getFsVolumeReferences()) {
                link = Path.of(volumes.get(0).getBaseURI()).resolve("terrace/extents/blk_1_1_1");
            }
            Files.createDirectories(link.getParent());
            Files.write(link, new byte[1]);
            cluster.startPlugin(0);
            assertThat(link).doesNotExist();
        }
    }

    private static void damage(List<Path> files, BlockKey key) throws IOException {
        Path file = files.stream()
                .filter(path -> path.getFileName().toString().startsWith("blk_" + key.blockId() + "_"))
                .findFirst()
                .orElseThrow();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        try (FileChannel bytes = FileChannel.open(file, StandardOpenOption.WRITE)) {
            bytes.write(java.nio.ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 400_000);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    }

    private static List<Path> extentFiles(Path memory) throws IOException {
        try (Stream<Path> files = Files.walk(memory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("blk_"))
                    .toList();
        }
    }
}
