package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.protocol.MoveOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fault of Terrace in a DataNode that goes on as stock. */
@Tag("cluster")
class BrokenOffTest {

    /** Much less than the memory tier has. */
    private static final long LOCKABLE_BYTES = 4L * TerraceCluster.BLOCK_BYTES;

    @Test
    void fault_inTheWatch_leavesAStockDataNode_thatHasItsMemoryBack() throws Exception {
        try (TerraceCluster cluster = TerraceCluster.start(1)) {
            org.apache.hadoop.fs.Path file = cluster.write("broken-off", 100_000, 1);
            BlockKey key = cluster.key(file, 0);
            assertThat(cluster.promote(0, key, 100_000).outcome()).isEqualTo(MoveOutcome.DONE);
            assertThat(extents(cluster)).isOne();
            breakTheWatch(cluster);
            // A walk over files that go meanwhile may fail.
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> extents(cluster) == 0);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> cluster.service(0).tier().usage().usedBytes() == 0);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("broken-off", 100_000));
        }
    }

    @Test
    void directives_areStocksAgain_asFarAsItMayLockMemory() throws Exception {
        NativeIO.POSIX.CacheManipulator locking = NativeIO.POSIX.getCacheManipulator();
        NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
        Configuration conf = TerraceCluster.configuration();
        conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, LOCKABLE_BYTES);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            FsDatasetSpi<?> dataset = cluster.datanode(0).getFSDataset();
            org.apache.hadoop.fs.Path before = cluster.write("pinned-before", 100_000, 1);
            BlockKey pinnedBefore = cluster.key(before, 0);
            long directive = cluster.pin(before, 1);
            cluster.awaitResident(0, pinnedBefore);
            breakTheWatch(cluster);
            assertThat(dataset.getCacheCapacity()).isEqualTo(LOCKABLE_BYTES);
            awaitCachedByStock(dataset, pinnedBefore);
            org.apache.hadoop.fs.Path after = cluster.write("pinned-after", 100_000, 1);
            cluster.pin(after, 1);
            awaitCachedByStock(dataset, cluster.key(after, 0));
            assertThat(dataset.getCacheUsed()).isGreaterThanOrEqualTo(200_000);
            cluster.fs().removeCacheDirective(directive);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !dataset.isCached(pinnedBefore.pool(), pinnedBefore.blockId()));
        } finally {
            NativeIO.POSIX.setCacheManipulator(locking);
        }
    }

    private static void awaitCachedByStock(FsDatasetSpi<?> dataset, BlockKey key) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> dataset.getCacheReport(key.pool()).contains(key.blockId()));
        assertThat(dataset.isCached(key.pool(), key.blockId())).isTrue();
    }

    /** No block is one that the watch does not expect; it is asked for those that a client reads. */
    private static void breakTheWatch(TerraceCluster cluster) {
        ExtendedBlock none = null;
        String name = Thread.currentThread().getName();
        Thread.currentThread().setName("DataXceiver for client test [Sending block none]");
        try {
            assertThatThrownBy(() -> cluster.datanode(0).getFSDataset().getBlockInputStream(none, 0))
                    .isInstanceOf(NullPointerException.class);
        } finally {
            Thread.currentThread().setName(name);
        }
    }

    private static long extents(TerraceCluster cluster) throws IOException {
        try (Stream<Path> files = Files.walk(cluster.memoryDir(0).resolve("extents"))) {
            return files.filter(Files::isRegularFile).count();
        }
    }
}
