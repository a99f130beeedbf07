package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files that are open for writing, read by the FileSystem class: complete blocks come from memory, over shm and over tcp, and
 * the block that grows comes from stock HDFS.
 */
@Tag("cluster")
class GrowingFilesTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How the client reaches the memory. */
    private enum Provider {
        SHM(Metric.CLIENT_GRANTED_SHM_BYTES),
        TCP(Metric.CLIENT_REMOTE_BYTES);

        private final Metric bytes;

        Provider(Metric bytes) {
            this.bytes = bytes;
        }

        FileSystem client() {
            return this == SHM ? sameHost : otherHost.fs();
        }

        /** What came from memory of the whole file, which is to be the first {@code length} of the bytes. */
        long granted(Path file, byte[] expected, int length) throws IOException {
            long before = ClientMetrics.value(bytes);
            byte[] all = all(file);
            assertThat(all.length).isEqualTo(length);
            assertStartOf(expected, all);
            return ClientMetrics.value(bytes) - before;
        }

        byte[] all(Path file) throws IOException {
            try (FSDataInputStream in = client().open(file)) {
                return in.readAllBytes();
            }
        }

        void awaitGranted(Path file, byte[] expected, int length, long wanted) {
            await().alias(wanted + " bytes from memory")
                    .atMost(PATIENCE.multipliedBy(4))
                    .until(() -> granted(file, expected, length) == wanted);
        }
    }

    private static TerraceCluster cluster;
    private static FileSystem sameHost;
    private static OtherHostClient otherHost;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        cluster = TerraceCluster.start(1, conf);
        sameHost = cluster.memoryFirstClient();
        otherHost = OtherHostClient.of(cluster, PATIENCE);
    }

    @AfterAll
    static void stop() throws IOException {
        otherHost.close();
        sameHost.close();
        cluster.close();
    }

    private static void promote(Path file, int index) throws Exception {
        int length = (int) cluster.located(file, index).getBlockSize();
        assertThat(cluster.promote(0, cluster.key(file, index), length).outcome())
                .isEqualTo(MoveOutcome.DONE);
    }

    /** Without a megabyte of numbers in the message. */
    private static void assertStartOf(byte[] expected, byte[] read) {
        assertThat(Arrays.mismatch(expected, 0, read.length, read, 0, read.length))
                .as("first wrong byte")
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void completeBlocks_areGranted_andTheLastIsReadAsItGrows(Provider provider) throws Exception {
        Path file = new Path("/growing-" + provider);
        byte[] bytes = TerraceCluster.contents(file.getName(), 3 * BLOCK + 77);
        int first = 2 * BLOCK + 300_000;
        try (FSDataOutputStream out = cluster.fs().create(file, (short) 1)) {
            out.write(bytes, 0, first);
            out.hflush();
            promote(file, 0);
            promote(file, 1);
            provider.awaitGranted(file, bytes, first, 2L * BLOCK);

            try (FSDataInputStream early = provider.client().open(file)) {
                early.readFully(0, new byte[BLOCK]);
                int second = first + 100_001;
                out.write(bytes, first, second - first);
                out.hflush();
                assertThat(provider.granted(file, bytes, second)).isEqualTo(2L * BLOCK);

                out.write(bytes, second, bytes.length - second);
                out.hflush();
                promote(file, 2);
                provider.awaitGranted(file, bytes, bytes.length, 3L * BLOCK);
                byte[] known = new byte[first];
                // Opened when the third block grew.
                early.readFully(0, known);
                assertStartOf(bytes, known);
            }
        }
        promote(file, 3);
        provider.awaitGranted(file, bytes, bytes.length, bytes.length);
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void reopenedForAppend_givesTheLastBlockToStock_andKeepsTheOthers(Provider provider) throws Exception {
        String name = "reopened-" + provider;
        int length = BLOCK + 400_000;
        byte[] bytes = TerraceCluster.contents(name, length + 50_000);
        Path file = new Path("/" + name);
        try (FSDataOutputStream out = cluster.fs().create(file, (short) 1)) {
            out.write(bytes, 0, length);
        }
        promote(file, 0);
        promote(file, 1);
        BlockKey last = cluster.key(file, 1);
        provider.awaitGranted(file, bytes, length, length);
        try (FSDataInputStream early = provider.client().open(file)) {
            early.readFully(BLOCK, new byte[1000]);
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                // The replica is what it was until the first byte is written.
                assertThat(provider.granted(file, bytes, length)).isEqualTo(length);
                out.write(bytes, length, bytes.length - length);
                out.hflush();
                assertThat(cluster.service(0).tier().isResident(last)).isFalse();
                assertThat(provider.granted(file, bytes, bytes.length)).isEqualTo(BLOCK);
                byte[] known = new byte[length];
                early.readFully(0, known);
                assertStartOf(bytes, known);
            }
        }
        assertThat(cluster.key(file, 1)).isNotEqualTo(last);
        promote(file, 1);
        provider.awaitGranted(file, bytes, bytes.length, bytes.length);
    }

    @ParameterizedTest
    @EnumSource(Provider.class)
    void truncatedWithinABlock_showsTheShorterFile(Provider provider) throws Exception {
        String name = "truncated-" + provider;
        Path file = cluster.write(name, BLOCK + 400_000, 1);
        byte[] bytes = TerraceCluster.contents(name, BLOCK + 400_000);
        promote(file, 0);
        promote(file, 1);
        provider.awaitGranted(file, bytes, bytes.length, bytes.length);
        int shorter = BLOCK + 123_457;
        boolean unused = cluster.fs().truncate(file, shorter);
        // Until the replica is recovered it has its old length, and that is what a reader is told.
        byte[] whileRecovered = provider.all(file);
        assertThat(whileRecovered.length).isBetween(shorter, bytes.length);
        assertStartOf(bytes, whileRecovered);
        await().atMost(PATIENCE.multipliedBy(4)).until(() -> cluster.fs().isFileClosed(file));
        promote(file, 1);
        provider.awaitGranted(file, bytes, shorter, shorter);
    }
}
