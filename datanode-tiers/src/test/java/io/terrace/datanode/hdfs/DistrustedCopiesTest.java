package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies in memory that went bad, and readers who notice by checksums of their own. Each block has two replicas. */
@Tag("cluster")
class DistrustedCopiesTest {

    private static final int BYTES = 200_000;

    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        cluster = TerraceCluster.start(2);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @Test
    void seekToNewSource_readsAnotherReplica_forThisStream() throws Exception {
        byte[] contents = TerraceCluster.contents("another", BYTES);
        Path file = spoilt("another");
        try (DistributedFileSystem fs = cluster.memoryFirstClient();
                FSDataInputStream in = fs.open(file)) {
            assertThat(in.readNBytes(1000)).isNotEqualTo(Arrays.copyOf(contents, 1000));
            long before = ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN);
            assertThat(in.seekToNewSource(0)).isTrue();
            assertThat(ClientMetrics.value(Metric.CLIENT_FS_STEPPED_DOWN)).isEqualTo(before + 1);
            assertThat(in.readAllBytes()).isEqualTo(contents);
            byte[] positional = new byte[BYTES];
            in.readFully(0, positional);
            assertThat(positional).isEqualTo(contents);
        }
    }

    @Test
    void seekToNewSource_pastTheEnd_saysWhatStockSays() throws Exception {
        Path file = cluster.write("short", BYTES, 2);
        try (DistributedFileSystem fs = cluster.memoryFirstClient();
                FSDataInputStream in = fs.open(file)) {
            assertThatThrownBy(() -> in.seekToNewSource(BYTES + 3))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Attempted to read past end of file");
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("short", BYTES));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"accessor", "filesystem"})
    void checksumsOfHdfs_afterReadsWithout_areVerified(String kind) throws Exception {
        byte[] contents = TerraceCluster.contents(kind, BYTES);
        Path file = spoilt(kind);
        try (DistributedFileSystem trusting = client(kind);
                DistributedFileSystem verifying = client(kind)) {
            trusting.setVerifyChecksum(false);
            try (FSDataInputStream in = trusting.open(file)) {
                byte[] got = new byte[1000];
                in.readFully(0, got);
                assertThat(got).as("the bad copy").isNotEqualTo(Arrays.copyOf(contents, 1000));
            }
            long before = ClientMetrics.value(Metric.CLIENT_FALLBACK_UNVERIFIED);
            try (FSDataInputStream in = verifying.open(file)) {
                byte[] got = new byte[BYTES];
                in.readFully(0, got);
                assertThat(got).isEqualTo(contents);
            }
            assertThat(ClientMetrics.value(Metric.CLIENT_FALLBACK_UNVERIFIED)).isGreaterThan(before);
        }
    }

    private static DistributedFileSystem client(String kind) throws IOException {
        return kind.equals("accessor") ? cluster.grantedClient() : cluster.memoryFirstClient();
    }

    /** A file with a copy in memory on one DataNode, of which the first byte is another. */
    private static Path spoilt(String name) throws Exception {
        Path file = cluster.write(name, BYTES, 2);
        BlockKey key = cluster.key(file, 0);
        cluster.promote(0, key, BYTES);
        String prefix = "blk_" + key.blockId() + "_";
        try (Stream<java.nio.file.Path> files = Files.walk(cluster.memoryDir(0).resolve("extents"))) {
            java.nio.file.Path extent = files.filter(
                            each -> each.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
            Files.setPosixFilePermissions(extent, PosixFilePermissions.fromString("rw-r--r--"));
            try (FileChannel bytes = FileChannel.open(extent, StandardOpenOption.WRITE)) {
                bytes.write(ByteBuffer.wrap(new byte[] {(byte) ~TerraceCluster.contents(name, BYTES)[0]}), 0);
            }
        }
        return file;
    }
}
