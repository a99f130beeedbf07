package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A file with one replica on SSD and one on disk, which the FileSystem class reads from the SSD. */
@Tag("cluster")
class FasterReplicaTest {

    private static final int FILES = 12;
    private static final int BYTES = 20_000;

    @Test
    void fileSystem_readsTheReplicaOnTheFasterType_whereverTheNameNodePutsIt() throws Exception {
        try (TerraceCluster cluster =
                        TerraceCluster.start(2, TerraceCluster.configuration(), StorageType.DISK, StorageType.SSD);
                DistributedFileSystem ours = cluster.memoryFirstClient()) {
            cluster.fs().mkdirs(new Path("/fast"));
            cluster.fs().setStoragePolicy(new Path("/fast"), "ONE_SSD");
            long passed = ClientMetrics.value(Metric.CLIENT_FS_FASTER_TYPE);
            int stockFirst = 0;
            for (int i = 0; i < FILES; i++) {
                Path file = cluster.write("fast/" + i, BYTES, 2);
                await().atMost(Duration.ofSeconds(20)).until(() -> types(cluster.located(file, 0))
                        .containsAll(List.of(StorageType.DISK, StorageType.SSD)));
                stockFirst += types(cluster.located(file, 0)).get(0) == StorageType.DISK ? 1 : 0;
                try (HdfsDataInputStream in = (HdfsDataInputStream) ours.open(file)) {
                    assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("fast/" + i, BYTES));
                    assertThat(in.getCurrentDatanode())
                            .isInstanceOfSatisfying(
                                    DatanodeInfoWithStorage.class, datanode -> assertThat(datanode.getStorageType())
                                            .isEqualTo(StorageType.SSD));
                }
            }
            assertThat(stockFirst).as("the NameNode puts either first").isPositive();
            assertThat(ClientMetrics.value(Metric.CLIENT_FS_FASTER_TYPE) - passed)
                    .as("not each: some were in that order")
                    .isBetween(1L, (long) FILES);
        }
    }

    private static List<StorageType> types(LocatedBlock block) {
        return Arrays.asList(block.getStorageTypes());
    }
}
