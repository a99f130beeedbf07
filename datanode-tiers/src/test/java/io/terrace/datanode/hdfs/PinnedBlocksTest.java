package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.BlockKey;
import io.terrace.metrics.Figure;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a cache directive makes of a block, on a cluster without a placement service. */
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
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("pinned", bytes));
        assertThat(cluster.figure(0, Figure.READS_STOCK_MEMORY_BYTES)).isZero();

        long directive = cluster.pin(file, 1);
        for (int i = 0; i < 3; i++) {
            cluster.awaitResident(0, cluster.key(file, i));
        }
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("pinned", bytes));
        await().atMost(Duration.ofSeconds(5)).until(() -> cluster.figure(0, Figure.READS_STOCK_MEMORY_BYTES) >= bytes);
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
}
