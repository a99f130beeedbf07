package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a cache directive makes of a block, on a cluster without a placement service. */
@Tag("cluster")
class PinnedBlocksTest {

    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        cluster = TerraceCluster.start(1);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @Test
    void read_afterPin_comesFromMemoryByteForByte() throws Exception {
        int bytes = 2 * TerraceCluster.BLOCK_BYTES + 12345;
        Path file = cluster.write("pinned", bytes, 1);
        long before = cluster.figure(0, Metric.READS_STOCK_MEMORY_BYTES);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("pinned", bytes));
        assertThat(cluster.figure(0, Metric.READS_STOCK_MEMORY_BYTES)).isEqualTo(before);

        long directive = cluster.pin(file, 1);
        for (int i = 0; i < 3; i++) {
            cluster.awaitResident(0, cluster.key(file, i));
        }
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("pinned", bytes));
        await().atMost(Duration.ofSeconds(5))
                .until(() -> cluster.figure(0, Metric.READS_STOCK_MEMORY_BYTES) >= before + bytes);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> cluster.located(file, 0).getCachedLocations().length == 1);

        BlockKey first = cluster.key(file, 0);
        cluster.fs().removeCacheDirective(directive);
        cluster.awaitGone(0, first);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("pinned", bytes));
    }

    @Test
    void read_afterAppendToPinnedBlock_seesTheNewBytes() throws Exception {
        int bytes = 300_000;
        Path file = cluster.write("appended", bytes, 1);
        BlockKey before = cluster.key(file, 0);
        cluster.pin(file, 1);
        cluster.awaitResident(0, before);
        try (FSDataOutputStream out = cluster.fs().append(file)) {
            out.write(TerraceCluster.contents("more", 1000));
            out.hflush();
            assertThat(cluster.service(0).tier().isResident(before)).isFalse();
            assertThat(cluster.read(file)).hasSize(bytes + 1000);
        }
        byte[] all = cluster.read(file);
        assertThat(all).hasSize(bytes + 1000).startsWith(TerraceCluster.contents("appended", bytes));
        BlockKey after = cluster.key(file, 0);
        assertThat(after.generationStamp()).isGreaterThan(before.generationStamp());
        cluster.awaitResident(0, after);
        assertThat(cluster.read(file)).isEqualTo(all);
    }

    @Test
    void passedCopy_whoseBlockIsAppendedTo_keepsItsChecksums() throws Exception {
        int bytes = 300_001;
        Path file = cluster.write("passed-appended", bytes, 1);
        BlockKey before = cluster.key(file, 0);
        cluster.pin(file, 1);
        cluster.awaitResident(0, before);
        try (Passed first =
                        Passed.of(cluster.datanode(0), cluster.located(file, 0).getBlock());
                Passed second =
                        Passed.of(cluster.datanode(0), cluster.located(file, 0).getBlock())) {
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(TerraceCluster.contents("more", 1000));
            }
            cluster.awaitResident(0, cluster.key(file, 0));
            assertThat(first.verified()).isEqualTo(TerraceCluster.contents("passed-appended", bytes));
            assertThat(second.verified()).isEqualTo(TerraceCluster.contents("passed-appended", bytes));
        }
        try (Passed after =
                Passed.of(cluster.datanode(0), cluster.located(file, 0).getBlock())) {
            assertThat(after.verified()).hasSize(bytes + 1000).isEqualTo(cluster.read(file));
        }
    }

    @Test
    void passedCopy_whoseBlockIsTruncated_keepsItsChecksums() throws Exception {
        int bytes = 512 * 900;
        Path file = cluster.write("passed-truncated", bytes, 1);
        BlockKey before = cluster.key(file, 0);
        cluster.pin(file, 1);
        cluster.awaitResident(0, before);
        try (Passed copy =
                Passed.of(cluster.datanode(0), cluster.located(file, 0).getBlock())) {
            cluster.fs().truncate(file, 100_001);
            cluster.awaitGone(0, before);
            await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> cluster.read(file).length == 100_001);
            assertThat(copy.verified()).isEqualTo(TerraceCluster.contents("passed-truncated", bytes));
        }
    }

    @Test
    void clientWithoutSlot_isPassedTheReplica_whichChangesWhereItIsOpen() throws Exception {
        int bytes = 300_001;
        Path file = cluster.write("passed-without-slot", bytes, 1);
        BlockKey before = cluster.key(file, 0);
        cluster.pin(file, 1);
        cluster.awaitResident(0, before);
        try (Passed replica =
                Passed.withoutSlot(cluster.datanode(0), cluster.located(file, 0).getBlock())) {
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(TerraceCluster.contents("more", 1000));
            }
            assertThat(replica.verified()).hasSize(bytes + 1000).isEqualTo(cluster.read(file));
        }
    }

    @Test
    void copy_ofTruncatedAndDeletedFile_goes() throws Exception {
        int bytes = 500_000;
        Path file = cluster.write("truncated", bytes, 1);
        BlockKey before = cluster.key(file, 0);
        cluster.pin(file, 1);
        cluster.awaitResident(0, before);
        cluster.fs().truncate(file, 100_001);
        cluster.awaitGone(0, before);
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> cluster.read(file).length == 100_001);
        BlockKey after = cluster.key(file, 0);
        cluster.awaitResident(0, after);
        assertThat(TerraceCluster.contents("truncated", bytes)).startsWith(cluster.read(file));

        cluster.fs().delete(file, false);
        cluster.awaitGone(0, after);
    }

    @Test
    void figures_ofStock_countWhatDirectivesCachedUncachedAndCouldNot() throws Exception {
        DataNode datanode = cluster.datanode(0);
        Path file = cluster.write("counted", TerraceCluster.BLOCK_BYTES + 1, 1);
        BlockKey first = cluster.key(file, 0);
        BlockKey second = cluster.key(file, 1);
        long cached = counter("BlocksCached");
        long uncached = counter("BlocksUncached");
        long directive = cluster.pin(file, 1);
        cluster.awaitResident(0, first);
        cluster.awaitResident(0, second);
        assertThat(counter("BlocksCached")).isEqualTo(cached + 2);
        assertThat(counter("BlocksUncached")).isEqualTo(uncached);

        FsDatasetSpi<?> dataset = datanode.getFSDataset();
        long failed = dataset.getNumBlocksFailedToCache();
        dataset.cache(first.pool(), new long[] {first.blockId()});
        assertThat(dataset.getNumBlocksFailedToCache()).as("cached already").isEqualTo(failed + 1);
        long unknown = 1L << 40;
        dataset.cache(first.pool(), new long[] {unknown});
        await().atMost(Duration.ofSeconds(10)).until(() -> dataset.getNumBlocksFailedToCache() >= failed + 2);

        cluster.fs().removeCacheDirective(directive);
        cluster.awaitGone(0, first);
        cluster.awaitGone(0, second);
        assertThat(counter("BlocksUncached")).isEqualTo(uncached + 2);
        long notCached = dataset.getNumBlocksFailedToUncache();
        dataset.uncache(first.pool(), new long[] {unknown, unknown + 1, first.blockId()});
        assertThat(dataset.getNumBlocksFailedToUncache())
                .as("one was asked for, the others were not")
                .isEqualTo(notCached + 2);
    }

    private static long counter(String name) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance()
                .getSource(cluster.datanode(0).getMetrics().name())
                .getMetrics(collector, true);
        return StreamSupport.stream(collector.getRecords().get(0).metrics().spliterator(), false)
                .filter(metric -> metric.name().equals(name))
                .mapToLong(metric -> metric.value().longValue())
                .findFirst()
                .orElseThrow();
    }
}
